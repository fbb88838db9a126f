/**
 * Feed brings the output of one command in order: what came while nobody
 * watched, what was left out and is still kept, and what was lost, which is
 * said. Offsets count the command's bytes, so nothing is shown twice or missed
 * unsaid. It knows no editor.
 */
import type { Exit, TerminalOutput, TerminalReadResult } from "../protocol.gen.ts";
import { bounds } from "../protocol.gen.ts";
import { sizeWords } from "./words.ts";

export interface FeedDeps {
  /** Shows bytes as they are. */
  readonly write: (data: string) => void;
  /** Tells the bridge how far was shown. */
  readonly ack: (offset: number) => void;
  /** Asks for kept output. */
  readonly read: (offset: number, max: number) => Promise<TerminalReadResult>;
  /** The last output was shown, and that the command ended. */
  readonly ended: (exit: Exit | undefined) => void;
}

export interface FeedOptions {
  /** The end of an output of which nothing more is kept. */
  readonly tail?: string;
  /** Lines end with \n alone, as they do in pipes; a terminal needs more to begin a new one. */
  readonly pipes?: boolean;
}

type Piece = Pick<TerminalOutput, "offset" | "end" | "data">;

/** What is held back for a view that is not there yet; the bridge keeps more, to be read when it is. */
const maxHeld = bounds.maxUnackedSilent;
/** A longer hole is filled from its end: what was newest matters most. */
const maxRefill = bounds.maxUnackedSilent;

export class Feed {
  readonly #deps: FeedDeps;
  readonly #pipes: boolean;
  #tail: string;
  #watched = false;
  /** What is to be shown, in order. A string is a line of our own. */
  #pieces: (Piece | string)[] = [];
  /** What pieces hold while nobody watches. */
  #held = 0;
  /** The end of what was shown. */
  #shown = 0;
  #reading = false;
  #end: { readonly words: string; readonly exit: Exit | undefined } | undefined;
  #over = false;
  #atLineStart = true;

  constructor(deps: FeedDeps, { tail = "", pipes = false }: FeedOptions = {}) {
    this.#deps = deps;
    this.#tail = tail;
    this.#pipes = pipes;
  }

  /** A view is there now: it gets what was held back, and all that follows. */
  watch(): void {
    this.#watched = true;
    if (this.#tail) this.#write(lines(this.#tail));
    this.#tail = "";
    this.#pump();
  }

  output(piece: Piece): void {
    this.#pieces.push(piece);
    this.#held += piece.data.length;
    while (!this.#watched && this.#held > maxHeld && this.#pieces.length > 1) this.#held -= sizeOf(this.#pieces.shift());
    this.#pump();
  }

  /** A line of our own, behind what has come until now. */
  note(words: string): void {
    this.#pieces.push(words);
    this.#pump();
  }

  /** What a person types where no terminal echoes it. */
  echo(text: string): void {
    if (this.#watched && !this.#over) this.#write(text);
  }

  /** Nothing more comes. Words say how the command ended; the exit is absent when nobody knows. */
  close(words: string, exit?: Exit): void {
    this.#end ??= { words, exit };
    this.#pump();
  }

  #pump(): void {
    if (!this.#watched || this.#reading || this.#over) return;
    for (let next = this.#pieces[0]; next; next = this.#pieces[0]) {
      if (typeof next !== "string" && next.offset > this.#shown) {
        this.#reading = true;
        void this.#fill(next.offset);
        return;
      }
      this.#pieces.shift();
      if (typeof next === "string") this.#say(next);
      else this.#show(next);
    }
    if (!this.#end) return;
    this.#over = true;
    this.#say(this.#end.words);
    this.#deps.ended(this.#end.exit);
  }

  #show(piece: Piece): void {
    if (piece.end <= this.#shown) return; // a read had it already
    if (piece.data) this.#write(this.#pipes ? lines(piece.data) : piece.data);
    this.#shown = piece.end;
    this.#deps.ack(piece.end);
  }

  /** Fills the hole before a piece with what the bridge still has. What it has not is said. */
  async #fill(end: number): Promise<void> {
    const start = Math.max(this.#shown, end - maxRefill);
    let read = await this.#read(start, end);
    // What is kept begins later than asked, so as many bytes reach into the piece: again, for what is before it.
    if (read && read.end > end && read.offset < end) read = await this.#read(read.offset, end);
    const found = read && read.end > read.offset && read.end <= end ? read : undefined;
    this.#skipTo(found ? found.offset : end);
    if (found) this.#show(found);
    this.#reading = false;
    this.#pump();
  }

  #read(start: number, end: number): Promise<Piece | undefined> {
    return this.#deps.read(start, end - start).catch(() => undefined); // no bridge, no bytes: the hole is said
  }

  #skipTo(offset: number): void {
    if (offset <= this.#shown) return;
    this.#say(`${sizeWords(offset - this.#shown)} of output skipped`);
    this.#shown = offset;
  }

  /** A line of our own among those of the command. */
  #say(words: string): void {
    this.#write(`${this.#atLineStart ? "" : "\r\n"}${dim(words)}\r\n`);
  }

  #write(data: string): void {
    this.#atLineStart = data.endsWith("\n");
    this.#deps.write(data);
  }
}

function lines(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

function sizeOf(piece: Piece | string | undefined): number {
  return typeof piece === "object" ? piece.data.length : 0;
}

export function dim(text: string): string {
  return `\u001b[0m\u001b[2m[${text}]\u001b[0m`;
}
