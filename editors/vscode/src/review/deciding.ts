/**
 * What a decision does: it marks a hunk of a question, keeps a hunk that was
 * applied, or asks the bridge to take one back.
 */
import type { Link } from "../bridge/link.ts";
import type { Verdict } from "../conversation/messages.ts";
import { stands } from "./actions.ts";
import type { Kept } from "./kept.ts";
import type { MarkBook, Of } from "./marks.ts";
import { undecided } from "./reviews.ts";
import type { Review } from "./reviews.ts";
import { nameOf, undoWords } from "./words.ts";

export interface DecideDeps {
  readonly link: Link;
  readonly marks: MarkBook;
  readonly kept: Kept;
}

/** Resolves to what a person must be told, if anything; rejects with a BridgeError. */
export async function decideHunk(deps: DecideDeps, review: Review, hunkId: string, verdict: Verdict | null): Promise<string | undefined> {
  if (review.phase === "waiting") deps.marks.mark(review.changeId, hunkId, verdict, ofQuestion(review));
  else if (verdict === "reject") return undo(deps, review, [hunkId]);
  else if (verdict === "accept") deps.kept.keep(review.sessionId, review.changeId, [hunkId]);
  return undefined;
}

/** Decides about whatever is undecided; of a change that is settled, about all that stands. */
export async function decideRest(deps: DecideDeps, review: Review, verdict: Verdict, comment?: string): Promise<string | undefined> {
  const { sessionId, changeId } = review;
  if (review.phase === "waiting") deps.marks.markAll(changeId, verdict, ofQuestion(review), comment);
  else if (verdict === "accept") deps.kept.keep(sessionId, changeId, review.hunks.length > 0 ? review.hunks.map((h) => h.hunkId) : "all");
  else return undo(deps, review, restOf(review));
  return undefined;
}

function ofQuestion({ sessionId, question }: Review): Of {
  return { sessionId, ...(question && { approvalId: question.approvalId }) };
}

async function undo(deps: DecideDeps, review: Review, hunks: readonly string[] | "all"): Promise<string | undefined> {
  if (!stands(review)) return `${nameOf(review.uri)}: nothing of this change can be undone any more.`;
  const { sessionId, changeId, base } = review;
  const result = await deps.link.request("change/resolve", { sessionId, changeId, base, reject: hunks });
  return undoWords(review.uri, hunks === "all" ? review.hunks.length : hunks.length, result);
}

function restOf(review: Review): readonly string[] | "all" {
  if (review.hunks.length === 0) return "all";
  const rest = review.phase === "applied" ? undecided(review) : review.hunks;
  return rest.length === review.hunks.length ? "all" : rest.map((h) => h.hunkId);
}
