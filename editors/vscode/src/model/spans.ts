/** Where in a command its parts stand. The wire counts bytes of UTF-8, a page counts UTF-16. */
import type { Span } from "../protocol.gen.ts";

/** A piece of the text, and the innermost part that it belongs to. */
export interface Segment {
  readonly text: string;
  /** The place of the part in the list; undefined: it belongs to none. */
  readonly part: number | undefined;
}

/**
 * Cuts a text where parts begin and end; joined, the segments are the text
 * again. A span that does not fit the text belongs to nothing.
 */
export function segmentsOf(text: string, spans: readonly Span[]): Segment[] {
  const owners = new Int32Array(text.length).fill(-1);
  const at = places(text, spans);
  const order = spans.map((_, i) => i).sort((a, b) => size(spans[b]) - size(spans[a]));
  for (const i of order) {
    const from = at.get(spans[i]?.start ?? -1);
    const to = at.get(spans[i]?.end ?? -1);
    if (from !== undefined && to !== undefined && from < to) owners.fill(i, from, to);
  }
  const segments: Segment[] = [];
  for (let start = 0, end = 1; end <= text.length; end++) {
    if (end < text.length && owners[end] === owners[start]) continue;
    const part = owners[start] ?? -1;
    segments.push({ text: text.slice(start, end), part: part < 0 ? undefined : part });
    start = end;
  }
  return segments;
}

/** The places in the text of the bytes at which spans begin and end; a byte within a character has none. */
function places(text: string, spans: readonly Span[]): Map<number, number> {
  const wanted = new Set(spans.flatMap(({ start, end }) => [start, end]));
  const found = new Map<number, number>();
  let byte = 0;
  let unit = 0;
  for (const character of text) {
    if (wanted.has(byte)) found.set(byte, unit);
    byte += bytesOf(character.codePointAt(0) ?? 0);
    unit += character.length;
  }
  if (wanted.has(byte)) found.set(byte, unit);
  return found;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function size(span: Span | undefined): number {
  return span ? span.end - span.start : 0;
}
