/** The lines of a hunk as they are shown: with line numbers, what changed within a line, and the lines around it. */
import type { Hunk } from "../protocol.gen.ts";

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** Counted from 1. */
  readonly oldLine?: number;
  readonly newLine?: number;
  /** The part of text that differs from the line it replaced or was replaced by. */
  readonly changed?: readonly [start: number, end: number];
}

/** How many lines around a hunk are shown. */
const around = 3;

export function hunkLines(hunk: Hunk): DiffLine[] {
  const removed = lines(hunk.oldText);
  const added = lines(hunk.newText);
  const paired = removed.length === added.length;
  const changes = removed.map((old, i) => (paired ? difference(old, added[i] ?? "") : undefined));
  return [
    ...removed.map((text, i): DiffLine => {
      const changed = changes[i]?.old;
      return { kind: "removed", text, oldLine: hunk.oldRange.start.line + 1 + i, ...(changed && { changed }) };
    }),
    ...added.map((text, i): DiffLine => {
      const changed = changes[i]?.new;
      return { kind: "added", text, newLine: hunk.newRange.start.line + 1 + i, ...(changed && { changed }) };
    }),
  ];
}

/** Every hunk with the unchanged lines around it that the unified diff holds; no line is shown twice. */
export function withContext(hunks: readonly Hunk[], diff: string): DiffLine[][] {
  const context = contextLines(diff);
  let shownTo = 0; // the first old line, from 0, that was not shown yet
  return hunks.map((hunk, i) => {
    const { start, end } = hunk.oldRange;
    const after = endLine(end);
    const limit = hunks[i + 1]?.oldRange.start.line ?? Infinity;
    const shift = endLine(hunk.newRange.end) - after;
    const before = range(Math.max(shownTo, start.line - around), start.line);
    const behind = range(after, Math.min(after + around, limit));
    shownTo = behind.at(-1) === undefined ? after : (behind.at(-1) ?? 0) + 1;
    const same =
      (delta: number) =>
      (line: number): DiffLine[] => {
        const text = context.get(line);
        return text === undefined ? [] : [{ kind: "same", text, oldLine: line + 1, newLine: line + delta + 1 }];
      };
    const shiftBefore = hunk.newRange.start.line - start.line;
    return [...before.flatMap(same(shiftBefore)), ...hunkLines(hunk), ...behind.flatMap(same(shift))];
  });
}

export function totals(hunks: readonly Hunk[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    added += lines(hunk.newText).length;
    removed += lines(hunk.oldText).length;
  }
  return { added, removed };
}

/** "Line 12" or "Lines 12–14" of the text that would be there. */
export function place(hunk: Hunk): string {
  const gone = hunk.newText === "";
  const range = gone ? hunk.oldRange : hunk.newRange;
  const first = range.start.line + 1;
  const last = Math.max(first, first + lines(gone ? hunk.oldText : hunk.newText).length - 1);
  return first === last ? `Line ${first}` : `Lines ${first}–${last}`;
}

/** Unchanged lines of a unified diff by their old line number, from 0. */
function contextLines(diff: string): Map<number, string> {
  const found = new Map<number, string>();
  let line = -1;
  for (const text of diff.split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+/.exec(text);
    if (header) line = Number(header[1]) - (header[2] === "0" ? 0 : 1);
    else if (line >= 0 && text.startsWith(" ")) found.set(line++, strip(text.slice(1)));
    else if (line >= 0 && text.startsWith("-")) line++;
  }
  return found;
}

function difference(
  a: string,
  b: string,
): { old: readonly [number, number]; new: readonly [number, number] } | undefined {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  // Lines that share next to nothing are not a changed line: marking all of both says nothing.
  if (head + tail < most / 4) return undefined;
  return { old: [head, a.length - tail], new: [head, b.length - tail] };
}

function lines(text: string): string[] {
  if (text === "") return [];
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  return all.map(strip);
}

function strip(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** A range that ends in the middle of a line (the last one, without a line end) covers that line. */
function endLine(end: { line: number; character: number }): number {
  return end.character > 0 ? end.line + 1 : end.line;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
