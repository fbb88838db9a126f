/** What the review says to a person. */
import { inertLabel } from "../model/inert.ts";
import { visible } from "../model/visible.ts";
import type { ChangeResolveResult } from "../protocol.gen.ts";
import { extent, plural, stat } from "./hunks.ts";
import type { Ending } from "./endings.ts";
import { undecided } from "./reviews.ts";
import type { Review } from "./reviews.ts";

export function nameOf(uri: string): string {
  return visible(decoded(uri.slice(uri.lastIndexOf("/") + 1)));
}

/** The title of a diff tab: "greet.go (proposed, 3 hunks)". */
export function diffTitle(review: Review): string {
  const what = extent(review.kind, review.hunks.length);
  return `${inertLabel(nameOf(review.uri))} (${stateWord(review)}, ${what})`;
}

export function stateWord(review: Review): string {
  if (review.phase === "waiting") return "proposed";
  if (review.edited && (review.state === "applied" || review.state === "partly")) return "applied, edited by you";
  if (review.state === "partly") return "partly applied";
  return review.state;
}

/** How far the person is, or what became of it: "2 of 3 left". */
export function headline(review: Review): string {
  const left = undecided(review).length;
  const all = review.hunks.length;
  switch (review.phase) {
    case "waiting":
      return left === all ? `Proposed: ${extent(review.kind, all)}` : `${left} of ${all} left`;
    case "applied":
      return left === all ? capital(review.edited ? stateWord(review) : "applied") : `${left} of ${all} to review`;
    case "settled":
      return review.why ? `${capital(stateWord(review))}: ${review.why}` : capital(stateWord(review));
  }
}

/** What stands behind a file in the list of changes: "+3 −1, 2 of 3 hunks left". */
export function counts(review: Review): string {
  const { plus, minus } = stat(review.hunks);
  const left = undecided(review).length;
  const all = review.hunks.length;
  const parts = [`+${plus} −${minus}`];
  if (review.kind !== "modify") parts.push(extent(review.kind, all));
  else if (left < all) parts.push(`${left} of ${plural(all, "hunk")} left`);
  else if (all > 1) parts.push(plural(all, "hunk"));
  return parts.join(", ");
}

/** Why a review is over; undefined where nothing need be said. */
export function endWords(uri: string, end: Ending): string | undefined {
  const name = nameOf(uri);
  switch (end.kind) {
    case "superseded":
      return `${name} changed meanwhile, so the change was proposed anew. Marks on the old proposal are dropped.`;
    case "withdrawn":
      return `The proposal for ${name} no longer stands${end.cause ? `: ${end.cause}` : ""}.`;
    case "stale":
      return `${name} was not changed: ${end.why ?? "it is no longer what the change was made for"}.`;
    case "applied":
    case "rejected":
      return undefined;
  }
}

/** What to say after hunks were taken back; undefined when all of them were. */
export function undoWords(uri: string, asked: number, result: ChangeResolveResult): string | undefined {
  const stale = result.stale.length;
  if (stale === 0) return undefined;
  const name = nameOf(uri);
  const what = asked > 1 ? `${stale} of ${plural(asked, "hunk")}` : "The hunk";
  return `${what} in ${name} could not be undone: its lines changed since. Edit the file to take it back.`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
