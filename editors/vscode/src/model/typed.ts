/**
 * What would be typed into a command, as keys: a person who allows it must see
 * each of them, also those that show nothing.
 */
import { pieces } from "./visible.ts";
import type { Piece } from "./visible.ts";

/** Joined, the pieces of one line after the other; each return is named and ends its line. */
export function typedPieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(keys)) {
    found.push(...pieces(text.slice(at, match.index), "code"));
    at = match.index + match[0].length;
    found.push(keyOf(match[0]));
    if (isReturn(match[0]) && at < text.length) found.push({ kind: "plain", text: "\n" });
  }
  found.push(...pieces(text.slice(at), "code"));
  return found;
}

/** For places that show nothing but text. */
export function typedWords(text: string): string {
  return typedPieces(text).map((piece) => piece.text).join("");
}

/** It holds keys besides letters and returns. */
export function hasKeys(text: string): boolean {
  return [...text.matchAll(keys)].some(([key]) => !isReturn(key));
}

const keys = /\r\n|[\u0000-\u001f\u007f]/g;

function isReturn(key: string): boolean {
  return key === "\r\n" || key === "\r" || key === "\n";
}

function keyOf(key: string): Piece {
  const name = isReturn(key) ? "Enter" : (named.get(key) ?? `Ctrl-${String.fromCharCode(key.charCodeAt(0) + 64)}`);
  const code = [...key].map((c) => `U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
  return { kind: "unseen", text: `⟨${name}⟩`, title: `${code}: the key ${name}` };
}

const named: ReadonlyMap<string, string> = new Map([
  ["\t", "Tab"],
  ["\u001b", "Escape"],
  ["\u007f", "Backspace"],
]);
