/**
 * The last line of a command's output while it runs. It holds no more than a
 * little of the end, however much a command says.
 */
const maxHeld = 2000;
const maxLine = 200;

export class Tail {
  #held = "";

  /** Takes the next piece and returns the last line that says something. */
  add(data: string): string {
    this.#held = (this.#held + data.slice(-maxHeld)).slice(-maxHeld);
    const lines = plain(this.#held).split("\n");
    return (lines.findLast((line) => line.trim() !== "") ?? "").trim().slice(0, maxLine);
  }
}

/** Output of a command without what only a terminal understands. */
export function plain(output: string): string {
  return output
    .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, "")
    .replace(/[^\n]*\r(?!\n|$)/gm, "")
    .replace(/\r/g, "");
}
