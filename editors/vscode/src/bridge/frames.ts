/**
 * Whether a stream is made of messages and of nothing else. A line that a
 * wrapper or a library prints between two messages makes a reader wait for ever
 * or lose the next one, so it is found where it stands.
 */
const longestHead = 4096;
const shown = 80;

export class Frames {
  /** The head of a message that is not whole yet. */
  #head = "";
  /** How much of the body is still to come. */
  #left = 0;

  /** Takes the next piece. Returns the first words that belong to no message, if there are some; then it is over. */
  take(piece: Uint8Array): string | undefined {
    for (let at = 0; at < piece.length;) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, piece.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      const before = this.#head.length;
      this.#head += Buffer.from(piece.subarray(at, at + longestHead)).toString("latin1");
      const end = this.#head.indexOf(headEnd);
      const length = end < 0 ? undefined : /^content-length:[ \t]*(\d+)$/im.exec(this.#head.slice(0, end).replaceAll("\r", ""))?.[1];
      if (!isBeginning(this.#head) || (end >= 0 && length === undefined) || (end < 0 && this.#head.length >= longestHead)) {
        return excerpt(this.#head);
      }
      if (end < 0) return undefined;
      at += end + headEnd.length - before;
      this.#left = Number(length);
      this.#head = "";
    }
    return undefined;
  }
}

const headEnd = "\r\n\r\n";
const beginning = "content-";

function isBeginning(head: string): boolean {
  const start = head.slice(0, beginning.length).toLowerCase();
  return beginning.startsWith(start);
}

function excerpt(head: string): string {
  const line = Buffer.from(head, "latin1").toString("utf8").trim().split(/[\r\n]/, 1)[0] ?? "";
  return line.length > shown ? `${line.slice(0, shown)}…` : line;
}
