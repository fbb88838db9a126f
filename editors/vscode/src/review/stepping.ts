/** Going from hunk to hunk, and from a file's last one on to the next file. */
import * as vscode from "vscode";
import type { Sessions } from "../model/sessions.ts";
import type { Diffs } from "./diffs.ts";
import { hunkFrom, linesOf } from "./hunks.ts";
import type { Side } from "./hunks.ts";
import { hereOf } from "./here.ts";
import { neighbour } from "./listing.ts";
import { undecided } from "./reviews.ts";
import type { Reviews } from "./reviews.ts";
import { activeChange, cursor } from "./tabs.ts";
import type { Hunk } from "../protocol.gen.ts";
import { mention } from "../say.ts";

export interface StepDeps {
  readonly reviews: Reviews;
  readonly diffs: Diffs;
  readonly sessions: Sessions;
}

export async function step(deps: StepDeps, way: "down" | "up"): Promise<void> {
  const here = cursor();
  const review = here && deps.reviews.find(here.ref.sessionId, here.ref.changeId);
  const hunk = here && review && hunkFrom(review.hunks, here.side, here.line, way);
  if (hunk) {
    reveal(here.editor, hunk, here.side);
    return;
  }
  const ref = here?.ref ?? activeChange()?.ref;
  const next = ref ? neighbour(deps.reviews.all, ref, way, hereOf(deps.sessions)) : deps.reviews.open[0];
  const entry = way === "down" ? next?.hunks[0] : next?.hunks.at(-1);
  if (next) await deps.diffs.open(next, entry && { hunkId: entry.hunkId });
  else mention(way === "down" ? "This is the last hunk." : "This is the first hunk.", 3_000);
}

/** After a decision by key: on to what is undecided still, below first. */
export function toUndecided(deps: StepDeps): void {
  const here = cursor();
  const review = here && deps.reviews.find(here.ref.sessionId, here.ref.changeId);
  if (!review) return;
  const left = undecided(review);
  const hunk = left.find((h) => linesOf(h, here.side).start >= here.line) ?? left[0];
  if (hunk) reveal(here.editor, hunk, here.side);
}

function reveal(editor: vscode.TextEditor, hunk: Hunk, side: Side): void {
  const { start, end } = linesOf(hunk, side);
  editor.selection = new vscode.Selection(start, 0, start, 0);
  editor.revealRange(new vscode.Range(start, 0, Math.max(start, end - 1), 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
