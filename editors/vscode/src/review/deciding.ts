/**
 * What a decision does: it marks a hunk of a question, or tells the bridge that
 * hunks that were applied are kept or shall be taken back.
 */
import type { Link } from "../bridge/link.ts";
import type { Verdict } from "../conversation/messages.ts";
import type { ChangeResolveResult } from "../protocol.gen.ts";
import { stands } from "./actions.ts";
import type { MarkBook, Of } from "./marks.ts";
import { keyOf, undecided } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { nameOf, staleWords } from "./words.ts";

export interface DecideDeps {
  readonly link: Link;
  readonly marks: MarkBook;
  readonly reviews: Pick<Reviews, "find">;
}

/** Resolves to what a person must be told, if anything; rejects with a BridgeError. */
export async function decideHunk(deps: DecideDeps, review: Review, hunkId: string, verdict: Verdict | null): Promise<string | undefined> {
  if (review.phase === "waiting") deps.marks.mark(review.changeId, hunkId, verdict, ofQuestion(review));
  else if (verdict) return resolve(deps, review, [hunkId], verdict);
  return undefined;
}

/** Decides about whatever is undecided; of a change that is settled, about all that stands. */
export async function decideRest(deps: DecideDeps, review: Review, verdict: Verdict, comment?: string): Promise<string | undefined> {
  if (review.phase !== "waiting") return resolve(deps, review, restOf(review), verdict, comment);
  deps.marks.markAll(review.changeId, verdict, ofQuestion(review), comment);
  return undefined;
}

function ofQuestion({ sessionId, question }: Review): Of {
  return { sessionId, ...(question && { approvalId: question.approvalId }) };
}

type Hunks = readonly string[] | "all";

/** One after the other for each change, for each leaves another base to the next. */
async function resolve(deps: DecideDeps, review: Review, hunks: Hunks, verdict: Verdict, comment?: string): Promise<string | undefined> {
  if (!stands(review)) return `${nameOf(review.uri)}: nothing of this change can be ${verdict === "accept" ? "kept" : "undone"} any more.`;
  const key = keyOf(review);
  const turn = (underWay.get(key) ?? Promise.resolve()).then(() => send(deps, review, hunks, verdict, comment));
  const done = turn.then(() => undefined, () => undefined);
  underWay.set(key, done);
  void done.then(() => {
    if (underWay.get(key) === done) underWay.delete(key);
  });
  const { stale, why } = await turn;
  return staleWords(review, { hunks: new Set(stale), ...(why && { why }) }, verdict);
}

/** Decisions that are on their way to the bridge, by change. */
const underWay = new Map<string, Promise<void>>();

function send(deps: DecideDeps, review: Review, hunks: Hunks, verdict: Verdict, comment?: string): Promise<ChangeResolveResult> {
  const { sessionId, changeId } = review;
  const { base } = deps.reviews.find(sessionId, changeId) ?? review;
  return deps.link.request("change/resolve", { sessionId, changeId, base, [verdict]: hunks, ...(comment && { comment }) });
}

function restOf(review: Review): Hunks {
  const rest = review.phase === "applied" ? undecided(review) : review.hunks;
  return rest.length === review.hunks.length ? "all" : rest.map((h) => h.hunkId);
}
