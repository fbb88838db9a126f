/** Typing sends what is typed in the order it was typed: one request at a time, and what comes meanwhile goes with the next. */
export class Typing {
  readonly #send: (text: string) => Promise<unknown>;
  readonly #failed: (thrown: unknown) => void;
  #waiting = "";
  #busy = false;

  constructor(send: (text: string) => Promise<unknown>, failed: (thrown: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  type(text: string): void {
    this.#waiting += text;
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#waiting) {
      const text = this.#waiting;
      this.#waiting = "";
      try {
        await this.#send(text);
      } catch (thrown) {
        this.#failed(thrown);
      }
    }
    this.#busy = false;
  }
}
