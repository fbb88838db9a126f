/** Where hunks stand in the two texts of a change, and what they amount to. Lines count from 0. */
import type { ChangeKind, Hunk } from "../protocol.gen.ts";

export type Side = "old" | "new";

/** Whole lines; the end is exclusive. A hunk that has no line on a side is empty there. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

export function linesOf(hunk: Hunk, side: Side): Lines {
  const { start, end } = side === "old" ? hunk.oldRange : hunk.newRange;
  // The last line of a text may have no line end; the range then ends within it.
  return { start: start.line, end: end.character > 0 ? end.line + 1 : end.line };
}

/** The hunk a cursor is in. One without lines is where its lines were: between two lines, so at both. */
export function hunkAt(hunks: readonly Hunk[], side: Side, line: number): Hunk | undefined {
  return hunks.find((h) => {
    const { start, end } = linesOf(h, side);
    return start <= line && line < end;
  }) ?? hunks.find((h) => {
    const { start, end } = linesOf(h, side);
    return start === end && (line === start || line === start - 1);
  });
}

/** The first hunk below or above a line; undefined when there is none that way. */
export function hunkFrom(hunks: readonly Hunk[], side: Side, line: number, way: "down" | "up"): Hunk | undefined {
  const here = hunkAt(hunks, side, line);
  const others = hunks.filter((h) => h !== here);
  return way === "down"
    ? others.find((h) => linesOf(h, side).start > line)
    : others.findLast((h) => linesOf(h, side).start < line);
}

export interface Stat {
  readonly plus: number;
  readonly minus: number;
}

export function stat(hunks: readonly Hunk[]): Stat {
  let plus = 0;
  let minus = 0;
  for (const h of hunks) {
    plus += countLines(h.newText);
    minus += countLines(h.oldText);
  }
  return { plus, minus };
}

/** The old text with the named hunks applied. */
export function compose(oldText: string, hunks: readonly Hunk[], ids: ReadonlySet<string>): string {
  const lines = splitLines(oldText);
  let text = "";
  let at = 0;
  for (const hunk of hunks) {
    if (!ids.has(hunk.hunkId)) continue;
    const { start, end } = linesOf(hunk, "old");
    text += lines.slice(at, start).join("") + hunk.newText;
    at = Math.max(at, end);
  }
  return text + lines.slice(at).join("");
}

export function countLines(text: string): number {
  return splitLines(text).length;
}

/** "Deletes the file", "3 hunks": what a person counts. */
export function extent(kind: ChangeKind, hunks: number): string {
  if (kind === "create") return "new file";
  if (kind === "delete") return "deletes the file";
  if (kind === "rename") return hunks === 0 ? "renames the file" : `renames the file, ${plural(hunks, "hunk")}`;
  return plural(hunks, "hunk");
}

export function plural(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

/** Lines with their ends, as editors and the protocol count them: \r\n, \n and a lone \r end one. */
function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}
