/**
 * Settles all changes of a turn or of a session: what waits is answered, what
 * was applied is kept or taken back. What a person marked hunk by hunk goes
 * first, as it was marked; the rest is the bridge's, in one request.
 */
import type { Verdict } from "../conversation/messages.ts";
import type { ApprovalResolved, ChangeSettled } from "../protocol.gen.ts";
import { decideRest } from "./deciding.ts";
import type { DecideDeps } from "./deciding.ts";
import { plural } from "./hunks.ts";
import { undecided } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { nameOf } from "./words.ts";

export interface Scope {
  readonly sessionId: string;
  readonly turnId?: string;
}

export interface SettleDeps extends DecideDeps {
  readonly reviews: Pick<Reviews, "find" | "open">;
}

export function openIn({ open }: Pick<Reviews, "open">, { sessionId, turnId }: Scope): readonly Review[] {
  return open.filter((r) => r.sessionId === sessionId && (turnId === undefined || r.turnId === turnId));
}

/** Resolves to what a person must be told, if anything; rejects with a BridgeError. */
export async function settleAll(deps: SettleDeps, scope: Scope, verdict: Verdict): Promise<string | undefined> {
  for (const review of openIn(deps.reviews, scope)) {
    if (review.phase === "waiting" && undecided(review).length < review.hunks.length) await answer(deps, review, verdict);
  }
  const names = new Map(openIn(deps.reviews, scope).map((r) => [r.changeId, nameOf(r.uri)]));
  if (names.size === 0) return undefined;
  const { changes } = await deps.link.request("change/resolveAll", { ...scope, accept: verdict === "accept" });
  return settledWords(changes, names);
}

/** What did not come through, by file; undefined when all did. */
export function settledWords(changes: readonly ChangeSettled[], names: ReadonlyMap<string, string>): string | undefined {
  const left = changes.filter((c) => c.error !== undefined || c.stale.length > 0);
  if (left.length === 0) return undefined;
  const why = left.map(({ changeId, error, stale }) => {
    const name = names.get(changeId) ?? changeId;
    return error === undefined ? `${name}: the lines of ${plural(stale.length, "hunk")} changed since` : `${name}: ${error}`;
  });
  return `${left.length} of ${plural(changes.length, "change")} could not be settled whole. ${why.join("; ")}.`;
}

/** Until the bridge has taken the answer: what comes after it must not overtake it. */
async function answer(deps: SettleDeps, review: Review, verdict: Verdict): Promise<void> {
  const { question } = review;
  let done: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => (done = resolve));
  const listening = deps.link.onEvent((method, params) => {
    const { sessionId, approvalId } = params as ApprovalResolved;
    if (method === "approval/resolved" && sessionId === review.sessionId && approvalId === question?.approvalId) done();
  });
  let late: NodeJS.Timeout | undefined;
  try {
    await decideRest(deps, review, verdict);
    await Promise.race([taken, new Promise<void>((_, reject) => {
      late = setTimeout(() => reject(new Error(`the answer about ${nameOf(review.uri)} was not taken yet; try again`)), patienceMs);
    })]);
  } finally {
    clearTimeout(late);
    listening.dispose();
  }
}

const patienceMs = 5_000;
