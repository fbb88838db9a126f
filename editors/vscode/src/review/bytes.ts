/**
 * Texts of a review as bytes. Where files are not simply read as UTF-8 they
 * begin with a byte order mark, so that they are read right whatever encoding
 * the person's own files have.
 */
const mark = "\uFEFF";

export function encode(text: string, marked: boolean): Uint8Array {
  return new TextEncoder().encode(!marked || text.startsWith(mark) ? text : mark + text);
}

export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes); // without the mark
}

/** What the editor's settings say about the encoding of files. */
export interface EncodingSettings {
  readonly encoding: string;
  /** Some language has one of its own. */
  readonly byLanguage: boolean;
  readonly guesses: boolean;
}

/** A mark is shown in the status bar, so there is none where nothing else could be read. */
export function needsMark({ encoding, byLanguage, guesses }: EncodingSettings): boolean {
  return encoding !== "utf8" || byLanguage || guesses;
}

/** An editor takes a mark off a text; where the file has one it must come back. */
export function splitMark(text: string): { readonly mark: string; readonly text: string } {
  return text.startsWith(mark) ? { mark, text: text.slice(1) } : { mark: "", text };
}
