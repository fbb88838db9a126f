/**
 * How long to wait before the bridge is started again: longer each time, and
 * from a minute of health on as if nothing had been.
 */
const firstMs = 1_000;
const longestMs = 30_000;
const healthyMs = 60_000;
const attempts = 6;

export class Backoff {
  #failures = 0;

  /** The wait after a run that lasted so long; undefined: it is of no use to go on. */
  next(ranMs: number): number | undefined {
    if (ranMs >= healthyMs) this.reset();
    this.#failures++;
    if (this.#failures > attempts) return undefined;
    return Math.min(firstMs * 2 ** (this.#failures - 1), longestMs);
  }

  reset(): void {
    this.#failures = 0;
  }
}
