/** What the review says to a person. */
import { inertLabel } from "../model/inert.ts";
import { visible } from "../model/visible.ts";
import type { Verdict } from "../conversation/messages.ts";
import { extent, linesOf, plural, stat } from "./hunks.ts";
import type { Ending } from "./endings.ts";
import { undecided } from "./reviews.ts";
import type { Review } from "./reviews.ts";

export function nameOf(uri: string): string {
  return visible(decoded(uri.slice(uri.lastIndexOf("/") + 1)));
}

/** The title of a diff tab: "greet.go (proposed, 3 hunks)". */
export function diffTitle(review: Review): string {
  const what = extent(review.kind, review.hunks.length);
  const from = review.from === undefined ? "" : `${inertLabel(nameOf(review.from))} → `;
  return `${from}${inertLabel(nameOf(review.uri))} (${stateWord(review)}, ${what})`;
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
      if (review.gone) return `${capital(stateWord(review))}; ${goneWords(review)}`;
      return review.why ? `${capital(stateWord(review))}: ${review.why}` : capital(stateWord(review));
  }
}

/** What stands behind a file in the list of changes: "+3 −1, 2 of 3 hunks left". */
export function counts(review: Review): string {
  const hunks = review.counted ?? review.hunks;
  const { plus, minus } = stat(hunks);
  const left = undecided(review).length;
  const all = hunks.length;
  const parts = [review.byCommand ? "by a command" : "", all > 0 || !review.gone ? `+${plus} −${minus}` : ""];
  if (review.kind !== "modify") parts.push(extent(review.kind, all));
  else if (left < all && review.phase !== "settled") parts.push(`${left} of ${plural(all, "hunk")} left`);
  else if (all > 1) parts.push(plural(all, "hunk"));
  return parts.filter(Boolean).join(", ");
}

/** Why a change can be neither shown whole nor undone. */
export function goneWords({ byCommand }: Review): string {
  return byCommand ? "the former bytes were not kept" : "its texts are not kept any more";
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

/** Hunks that a decision did not come through for; why has a line for each. */
export interface Stale {
  readonly hunks: ReadonlySet<string>;
  readonly why?: string;
}

/** Which those are, and why; undefined when the decision came through for all. */
export function staleWords(review: Review, { hunks, why }: Stale, verdict: Verdict): string | undefined {
  if (hunks.size === 0) return undefined;
  const left = review.hunks.filter((h) => hunks.has(h.hunkId)).map((h) => linesWord(linesOf(h, "new")));
  const where = left.length > 0 ? ` at ${joined(left.slice(0, mostNamed), left.length)}` : "";
  const one = hunks.size === 1;
  const reason = why ? reasonsOf(why) : `${one ? "its" : "their"} lines changed since`;
  const help = verdict === "accept" ? "" : ` Edit the file to take ${one ? "it" : "them"} back.`;
  return `${one ? "The hunk" : plural(hunks.size, "hunk")}${where} of ${nameOf(review.uri)} could not be ${
    verdict === "accept" ? "kept" : "undone"}: ${reason}.${help}`;
}

/** The bridge begins each line with the hunk's id, which says nothing to a person. */
function reasonsOf(why: string): string {
  const lines = [...new Set(why.trim().split("\n").map((line) => line.replace(/^h\d+: /, "")))];
  return joined(lines.slice(0, mostNamed), lines.length, "; ");
}

const mostNamed = 5;

function linesWord({ start, end }: { readonly start: number; readonly end: number }): string {
  return end - start > 1 ? `lines ${start + 1}–${end}` : `line ${start + 1}`;
}

function joined(words: readonly string[], of: number, between = ", "): string {
  const rest = of - words.length;
  return words.join(between) + (rest > 0 ? ` and ${rest} more` : "");
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
