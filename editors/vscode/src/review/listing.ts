/**
 * The list of changes as it is shown: a change set for each turn, the newest
 * first, and in front of all those of other sessions that wait for a person.
 */
import { undecided } from "./reviews.ts";
import type { Review } from "./reviews.ts";
import { plural } from "./hunks.ts";

export interface Group {
  /** Unique in the list. */
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** In the order in which they came up, settled ones too. */
  readonly reviews: readonly Review[];
}

/** Which session is shown, and what belongs to it. */
export interface Here {
  readonly sessionId?: string;
  /** The turn in which a subagent of the shown session was started, by the subagent's session. */
  readonly startedIn?: (sessionId: string) => string | undefined;
}

/** What a subagent did stands behind what its turn did. */
export function groups(all: readonly Review[], { sessionId: current, startedIn = () => undefined }: Here = {}): Group[] {
  const turns = new Map<string, Review[]>();
  for (const review of all) {
    const id = `${review.sessionId}/${review.turnId}`;
    turns.set(id, [...(turns.get(id) ?? []), review]);
  }
  return [...turns].map(([id, reviews]): Group => {
    const { sessionId, turnId } = reviews[0] as Review;
    return { id, sessionId, turnId, reviews: reviews.toSorted((a, b) => numberOf(a.changeId) - numberOf(b.changeId)) };
  }).sort((a, b) => {
    const [one, other] = [a, b].map(({ sessionId, turnId }) => {
      const parent = startedIn(sessionId);
      const isOwn = sessionId === current;
      return { here: Number(isOwn || parent !== undefined), turn: numberOf(parent ?? turnId), child: Number(!isOwn), own: numberOf(turnId), sessionId };
    }) as [Place, Place];
    return one.here - other.here || other.turn - one.turn || one.child - other.child || one.sessionId.localeCompare(other.sessionId) || other.own - one.own;
  });
}

interface Place {
  readonly here: number;
  readonly turn: number;
  readonly child: number;
  readonly own: number;
  readonly sessionId: string;
}

export function isOpen(review: Review): boolean {
  return review.phase !== "settled";
}

/** How far a person is with a turn: "1 waits, 3 hunks to review". */
export function groupWords({ reviews }: Group): string {
  const waiting = reviews.filter((r) => r.phase === "waiting").length;
  const hunks = reviews.filter((r) => r.phase === "applied").reduce((n, r) => n + Math.max(1, undecided(r).length), 0);
  const parts = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "waits" : "wait"}`] : []),
    ...(hunks > 0 ? [`${plural(hunks, "hunk")} to review`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : "settled";
}

/**
 * The open review after or before one in the order of the list; round its ends,
 * so that from the last the first comes. Undefined when there is no other.
 */
export function neighbour(
  all: readonly Review[], here: { readonly sessionId: string; readonly changeId: string }, way: "down" | "up", current?: Here,
): Review | undefined {
  const list = groups(all, current).flatMap((g) => g.reviews);
  const isHere = (r: Review): boolean => r.sessionId === here.sessionId && r.changeId === here.changeId;
  const at = list.findIndex(isHere);
  const round = at < 0 ? list : [...list.slice(at + 1), ...list.slice(0, at)];
  const open = round.filter(isOpen);
  return way === "down" || at < 0 ? open[0] : open.at(-1);
}

/** Ids count what they name: t12 comes after t9. Those of a subagent say whose they are behind it. */
function numberOf(id: string): number {
  return Number(/\d+/.exec(id)?.[0] ?? 0);
}
