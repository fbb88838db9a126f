/** The list of changes as it is shown: what waits for a person, then what was applied and not looked at. */
import type { Review } from "./reviews.ts";

export interface Group {
  readonly id: "waiting" | "applied";
  readonly title: string;
  readonly reviews: readonly Review[];
}

export function groups(open: readonly Review[]): Group[] {
  const all: Group[] = [
    { id: "waiting", title: "Waiting for you", reviews: open.filter((r) => r.phase === "waiting") },
    { id: "applied", title: "Applied, to review", reviews: open.filter((r) => r.phase === "applied") },
  ];
  return all.filter((g) => g.reviews.length > 0);
}

/**
 * The review after or before one in the order of the list; round its ends, so
 * that from the last the first comes. Undefined when there is no other.
 */
export function neighbour(open: readonly Review[], here: { sessionId: string; changeId: string }, way: "down" | "up"): Review | undefined {
  const list = groups(open).flatMap((g) => g.reviews);
  const at = list.findIndex((r) => r.sessionId === here.sessionId && r.changeId === here.changeId);
  if (at < 0) return list[0];
  const other = list[(at + (way === "down" ? 1 : -1) + list.length) % list.length];
  return list.length > 1 ? other : undefined;
}
