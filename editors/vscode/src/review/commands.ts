/**
 * The commands of the review. A click names its change, and so its question, by
 * id; a key means the hunk at the cursor, or the change in the active editor.
 */
import * as vscode from "vscode";
import type { Verdict } from "../conversation/messages.ts";
import type { Sessions } from "../model/sessions.ts";
import { ask, confirm, mention, pick as choose, tell } from "../say.ts";
import { commands, targetOf } from "./actions.ts";
import type { Target } from "./actions.ts";
import { readRef } from "./address.ts";
import { decideHunk, decideRest } from "./deciding.ts";
import type { DecideDeps } from "./deciding.ts";
import type { Diffs } from "./diffs.ts";
import type { Drafts } from "./drafts.ts";
import { hunkAt, plural } from "./hunks.ts";
import { undecided } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { openIn, settleAll } from "./settling.ts";
import type { Scope } from "./settling.ts";
import { step, toUndecided } from "./stepping.ts";
import { activeChange, cursor } from "./tabs.ts";
import type { Node } from "./tree.ts";
import { told } from "./trouble.ts";
import { counts, nameOf, stateWord } from "./words.ts";

export interface CommandDeps extends DecideDeps {
  readonly reviews: Reviews;
  readonly diffs: Diffs;
  readonly drafts: Drafts;
  readonly sessions: Sessions;
}

export function activateCommands(deps: CommandDeps): vscode.Disposable {
  const on = (id: string, action: string, f: (argument: unknown) => Promise<void> | void): vscode.Disposable =>
    vscode.commands.registerCommand(id, (argument: unknown) => told(action, () => f(argument)));
  return vscode.Disposable.from(
    on(commands.acceptHunk, "accept the hunk", (a) => oneHunk(deps, a, "accept")),
    on(commands.rejectHunk, "reject the hunk", (a) => oneHunk(deps, a, "reject")),
    on(commands.acceptFile, "accept the change", (a) => oneFile(deps, a, "accept")),
    on(commands.rejectFile, "reject the change", (a) => oneFile(deps, a, "reject")),
    on(commands.undoFile, "undo the change", (a) => undoFile(deps, a)),
    on(commands.rejectBecause, "reject the change", (a) => rejectBecause(deps, a)),
    on(commands.acceptTurn, "accept the changes of the turn", (a) => turn(deps, a, "accept")),
    on(commands.rejectTurn, "reject the changes of the turn", (a) => turn(deps, a, "reject")),
    on(commands.acceptAll, "accept all changes", () => all(deps, "accept")),
    on(commands.rejectAll, "reject all changes", () => all(deps, "reject")),
    on(commands.edit, "open the proposal for editing", (a) => edit(deps, a)),
    on(commands.acceptEdited, "accept the edited text", (a) => deps.drafts.accept(draftUri(a))),
    on(commands.discardEdited, "discard the edit", (a) => deps.drafts.discard(draftUri(a))),
    on(commands.next, "go to the next hunk", () => step(deps, "down")),
    on(commands.previous, "go to the previous hunk", () => step(deps, "up")),
    on(commands.open, "open the change", (a) => open(deps, a)),
    on(commands.showSettled, "show the change", () => pick(deps, deps.reviews.settled, "No change is settled yet.")),
  );
}

async function oneHunk(deps: CommandDeps, argument: unknown, verdict: Verdict): Promise<void> {
  const target = namedBy(argument);
  const review = find(deps, target);
  const hunkId = target.hunkId ?? hunkAtCursor(review);
  if (!hunkId) {
    mention("The cursor is in no hunk. Next Hunk goes to one.");
    return;
  }
  deps.diffs.actedIn(review);
  tellOf(await decideHunk(deps, review, hunkId, target.again ? null : verdict));
  if (!target.hunkId) toUndecided(deps);
}

async function oneFile(deps: CommandDeps, argument: unknown, verdict: Verdict): Promise<void> {
  const review = find(deps, namedBy(argument));
  deps.diffs.actedIn(review);
  tellOf(await decideRest(deps, review, verdict));
}

async function undoFile(deps: CommandDeps, argument: unknown): Promise<void> {
  if (find(deps, namedBy(argument)).phase === "waiting") throw new Error("it is not applied yet; reject it instead");
  await oneFile(deps, argument, "reject");
}

async function rejectBecause(deps: CommandDeps, argument: unknown): Promise<void> {
  const target = namedBy(argument);
  const { question: asked, verdicts, uri } = find(deps, target);
  const what = Object.values(verdicts).includes("accept") ? "the rest" : "the change";
  const comment = await ask({
    title: `Reject ${what} of ${nameOf(uri)}`, prompt: "The model reads your reason.", placeHolder: "Why not?",
  });
  if (comment === undefined) return; // to close the box is no decision
  const review = find(deps, target);
  if (review.question !== asked) throw new Error("another proposal took its place meanwhile; look at that one");
  deps.diffs.actedIn(review);
  tellOf(await decideRest(deps, review, "reject", comment.trim()));
}

/** The turn of an entry of the list; of a diff, the turn of its change. */
async function turn(deps: CommandDeps, argument: unknown, verdict: Verdict): Promise<void> {
  const node = argument as Partial<Node> | undefined;
  if (node?.kind === "group" && node.group) return settle(deps, [node.group], verdict);
  const review = deps.reviews.find(namedBy(argument).sessionId, namedBy(argument).changeId);
  if (!review) throw new Error("it is decided already");
  await settle(deps, [review], verdict);
}

/** Of the session that is shown and of its subagents; where nothing is open in them, of those that wait. */
async function all(deps: CommandDeps, verdict: Verdict): Promise<void> {
  const open = [...new Set(deps.reviews.open.map((r) => r.sessionId))];
  const shown = open.filter((id) => deps.sessions.isShown(id));
  await settle(deps, (shown.length === 0 ? open : shown).map((sessionId) => ({ sessionId })), verdict);
}

async function settle(deps: CommandDeps, scopes: readonly Scope[], verdict: Verdict): Promise<void> {
  const reviews = scopes.flatMap((scope) => openIn(deps.reviews, scope));
  if (reviews.length === 0) {
    mention("No change waits for you.");
    return;
  }
  if (verdict === "reject" && !(await confirmUndo(reviews))) return;
  for (const review of reviews) deps.diffs.actedIn(review);
  for (const { sessionId, turnId } of scopes) {
    tellOf(await settleAll(deps, { sessionId, ...(turnId !== undefined && { turnId }) }, verdict));
  }
}

/** To reject a proposal costs nothing; what was applied is asked about. */
async function confirmUndo(reviews: readonly Review[]): Promise<boolean> {
  const applied = reviews.filter((r) => r.phase === "applied").length;
  if (applied === 0) return true;
  const waiting = reviews.length - applied;
  const message = `Undo ${plural(applied, "applied change")}${waiting > 0 ? ` and reject ${plural(waiting, "proposal")}` : ""}?`;
  return confirm(message, "Hunks that you kept stay.", "Undo");
}

async function edit(deps: CommandDeps, argument: unknown): Promise<void> {
  const target = namedBy(argument);
  const asked = deps.reviews.find(target.sessionId, target.changeId)?.question;
  if (asked && deps.drafts.isOpening(asked)) return; // a double click
  const { question, kind } = find(deps, target);
  if (!question) throw new Error("it is settled; edit the file itself");
  if (kind === "delete") throw new Error("it deletes the file, so there is no text to edit");
  await deps.drafts.open(question);
}

async function open(deps: CommandDeps, argument: unknown): Promise<void> {
  if (argument === undefined) return pick(deps, deps.reviews.open, "No change waits for you.");
  const { sessionId, changeId, hunkId } = namedBy(argument);
  await deps.diffs.open({ sessionId, changeId }, hunkId === undefined ? {} : { hunkId });
}

async function pick(deps: CommandDeps, reviews: readonly Review[], none: string): Promise<void> {
  const items = reviews.map((review) => ({
    label: nameOf(review.uri), description: `${stateWord(review)}, ${counts(review)}`, detail: review.why ?? "", value: review,
  }));
  if (items.length === 0) {
    mention(none);
    return;
  }
  const review = await choose(items, { title: "Drawbridge: Changes", placeHolder: "Which change?" });
  if (review) await deps.diffs.open(review);
}

function namedBy(argument: unknown): Target {
  if (argument instanceof vscode.Uri) { // of the editor whose button was clicked
    const ref = readRef(argument);
    if (ref) return ref;
  } else if (typeof argument === "object" && argument !== null) {
    if ("changeId" in argument) return argument as Target;
    const node = argument as Partial<Node>;
    if (node.kind === "change" && "review" in node) return targetOf(node.review as Review);
  }
  const ref = activeChange()?.ref;
  if (!ref) throw new Error("no change is open in the active editor");
  return ref;
}

function find(deps: CommandDeps, target: Target): Review {
  const review = deps.reviews.find(target.sessionId, target.changeId);
  if (!review || deps.diffs.isUnderWay(target)) throw new Error("it is decided already");
  const { approvalId } = target;
  if (approvalId !== undefined && approvalId !== review.question?.approvalId) {
    throw new Error(review.question ? "another proposal took its place meanwhile; look at that one" : "it is decided already");
  }
  if (review.question && deps.drafts.isOpening(review.question)) throw new Error("the proposal is just being opened for editing");
  return review;
}

function hunkAtCursor(review: Review): string | undefined {
  const here = cursor();
  const hunk = here && hunkAt(review.hunks, here.side, here.line);
  const left = undecided(review);
  return (hunk ?? (left.length === 1 ? left[0] : undefined))?.hunkId;
}

function draftUri(argument: unknown): vscode.Uri {
  const uri = argument instanceof vscode.Uri ? argument : activeChange()?.uri;
  if (!uri) throw new Error("no proposal is being edited");
  return uri;
}

function tellOf(message: string | undefined): void {
  if (message) tell("warning", `Drawbridge: ${message}`);
}
