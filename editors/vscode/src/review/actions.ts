/**
 * What can be done about a change and where it is offered: lines of text above
 * a hunk that act when clicked. It knows no editor.
 */
import { inertLabel, inertMessage } from "../model/inert.ts";
import { linesOf } from "./hunks.ts";
import type { Side } from "./hunks.ts";
import type { ChangeRef } from "./address.ts";
import { undecided } from "./reviews.ts";
import type { Review } from "./reviews.ts";
import { headline } from "./words.ts";
import type { Hunk } from "../protocol.gen.ts";

/** What commands of the review are called with. Without a hunk the whole file is meant. */
export interface Target extends ChangeRef {
  readonly hunkId?: string;
  /** The question that was seen when it was clicked; it alone is decided. */
  readonly approvalId?: string;
  /** Takes a decision back instead of making one. */
  readonly again?: boolean;
}

export interface Action {
  readonly line: number;
  readonly title: string;
  readonly tooltip?: string;
  /** Absent: it only says something. */
  readonly command?: string;
  readonly target?: Target;
}

export const commands = {
  acceptHunk: "drawbridge.review.acceptHunk",
  rejectHunk: "drawbridge.review.rejectHunk",
  acceptFile: "drawbridge.review.acceptFile",
  rejectFile: "drawbridge.review.rejectFile",
  rejectBecause: "drawbridge.review.rejectBecause",
  acceptTurn: "drawbridge.review.acceptTurn",
  rejectTurn: "drawbridge.review.rejectTurn",
  acceptAll: "drawbridge.review.acceptAll",
  rejectAll: "drawbridge.review.rejectAll",
  edit: "drawbridge.review.edit",
  acceptEdited: "drawbridge.review.acceptEdited",
  undoFile: "drawbridge.review.undoFile",
  discardEdited: "drawbridge.review.discardEdited",
  next: "drawbridge.review.next",
  previous: "drawbridge.review.previous",
  open: "drawbridge.review.open",
  showSettled: "drawbridge.review.showSettled",
} as const;

/** Actions of one side. The old side has only those of lines that are gone from the new one. */
export function actions(review: Review, side: Side): Action[] {
  const hunks = review.hunks.flatMap((h) => hunkActions(review, h, side));
  return side === "new" ? [...fileActions(review), ...hunks] : hunks;
}

/** What is offered while an answer is on its way and nothing is known of the change. */
export const underWay: Action = { line: 0, title: "$(sync)\u00a0Answered. Waiting for what becomes of it…" };

function fileActions(review: Review): Action[] {
  const target = targetOf(review);
  const head: Action = { line: 0, title: inertLabel(headline(review)), ...(review.why && { tooltip: inertMessage(review.why) }) };
  const begun = undecided(review).length < review.hunks.length;
  const rest = begun ? "rest" : "file";
  switch (review.phase) {
    case "waiting":
      return [
        ...(begun ? [head] : []), // else the tab's title has said it
        { line: 0, title: label("check-all", `Accept ${rest}`), tooltip: "Accept every undecided hunk", command: commands.acceptFile, target },
        { line: 0, title: label("close-all", `Reject ${rest}`), tooltip: "Reject every undecided hunk", command: commands.rejectFile, target },
        ...(review.kind === "delete" ? [] : [
          { line: 0, title: label("edit", "Edit…"), tooltip: "Change the proposed text before you accept it", command: commands.edit, target },
        ]),
        ...(begun ? [] : [
          { line: 0, title: label("comment", "Reject because…"), tooltip: "Reject with a reason that the model reads", command: commands.rejectBecause, target },
        ]),
      ];
    case "applied":
      return [
        head,
        { line: 0, title: label("check-all", `Keep ${rest}`), tooltip: "Leave what was applied as it is", command: commands.acceptFile, target },
        { line: 0, title: label("discard", `Undo ${rest}`), tooltip: "Take back what was applied", command: commands.undoFile, target },
      ];
    case "settled":
      return stands(review) && review.hunks.length !== 1
        ? [head, { line: 0, title: label("discard", "Undo file"), tooltip: "Take back what was applied", command: commands.undoFile, target }]
        : [head];
  }
}

function hunkActions(review: Review, hunk: Hunk, side: Side): Action[] {
  if ((review.kind === "create" || review.kind === "delete") && review.hunks.length === 1) return []; // the file's actions stand at the same line
  const newLines = linesOf(hunk, "new");
  if (side === "old" && newLines.start !== newLines.end) return [];
  const line = linesOf(hunk, side).start;
  const { hunkId } = hunk;
  const target: Target = { ...targetOf(review), hunkId };
  const verdict = review.verdicts[hunkId];
  if (review.phase === "waiting") {
    if (verdict) return [{ ...decided(verdict, line), command: verdictCommands[verdict], target: { ...target, again: true } }];
    return [
      { line, title: label("check", "Accept"), command: commands.acceptHunk, target },
      { line, title: label("close", "Reject"), command: commands.rejectHunk, target },
    ];
  }
  if (!stands(review)) return [];
  const undo: Action = { line, title: label("discard", "Undo"), tooltip: "Take this hunk back", command: commands.rejectHunk, target };
  if (verdict === "accept") return [{ line, title: label("pass", "Kept") }, undo];
  return [{ line, title: label("check", "Keep"), tooltip: "Leave this hunk as it is", command: commands.acceptHunk, target }, undo];
}

/** A change as it is shown now. */
export function targetOf({ sessionId, changeId, question }: Review): Target {
  return { sessionId, changeId, ...(question && { approvalId: question.approvalId }) };
}

function decided(verdict: "accept" | "reject", line: number): Action {
  const title = verdict === "accept" ? label("pass-filled", "Accepted") : label("circle-slash", "Rejected");
  return { line, title: `${title} · decide again`, tooltip: "Nothing is done before the last hunk is decided" };
}

/** An icon and words, with a space that is not swallowed. */
export function label(icon: string, words: string): string {
  return `$(${icon})\u00a0${words}`;
}

/** Taking a verdict back goes by the command that gave it. */
const verdictCommands = { accept: commands.acceptHunk, reject: commands.rejectHunk } as const;

/** It can be taken back. */
export function stands(review: Review): boolean {
  return (review.state === "applied" || review.state === "partly") && !review.gone;
}
