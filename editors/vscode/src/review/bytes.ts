/**
 * Texts of a review as bytes. They begin with a byte order mark, so that they are
 * read as UTF-8 whatever encoding the person's own files have.
 */
const mark = "\uFEFF";

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text.startsWith(mark) ? text : mark + text);
}

export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes); // without the mark
}

/** An editor takes a mark off a text; where the file has one it must come back. */
export function splitMark(text: string): { readonly mark: string; readonly text: string } {
  return text.startsWith(mark) ? { mark, text: text.slice(1) } : { mark: "", text };
}
