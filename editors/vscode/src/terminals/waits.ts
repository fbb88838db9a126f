/**
 * Which commands that wait for typing a person is told of. In the foreground
 * the turn waits with them, so each time. In the background the agent often
 * answers itself, again and again: once.
 */
import type { TerminalStatus } from "../protocol.gen.ts";

export class Waits {
  readonly #waiting = new Set<string>();
  readonly #told = new Set<string>();

  /** True: it began to wait, and that is worth saying. */
  begins(key: string, { waiting, background }: TerminalStatus): boolean {
    const began = waiting === true && !this.#waiting.has(key);
    if (waiting) this.#waiting.add(key);
    else this.#waiting.delete(key);
    if (!began || (background && this.#told.has(key))) return false;
    this.#told.add(key);
    return true;
  }

  over(key: string): void {
    this.#waiting.delete(key);
    this.#told.delete(key);
  }
}
