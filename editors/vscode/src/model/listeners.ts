/** Who wants to hear of something. Structurally an event of the editor, without the editor. */
export interface Disposable {
  dispose(): void;
}

export class Listeners<A extends readonly unknown[]> {
  readonly #all = new Set<(...args: A) => void>();

  add(f: (...args: A) => void): Disposable {
    const own = (...args: A): void => f(...args); // the same function may be added twice
    this.#all.add(own);
    return { dispose: () => void this.#all.delete(own) };
  }

  /** Every listener is called, also when one of them throws; the first fault is thrown on. */
  fire(...args: A): void {
    const faults: unknown[] = [];
    for (const f of [...this.#all]) {
      try {
        f(...args);
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  clear(): void {
    this.#all.clear();
  }
}
