/**
 * The first seconds of a process: it speaks, or it is ended and its failure put
 * into words. It knows neither the editor nor what is spoken.
 */
import { LaunchError } from "./bridge.ts";
import type { End } from "./process.ts";
import { problemIn } from "../model/settings-words.ts";

export interface Beginning {
  readonly kill: () => void;
  readonly ended: Promise<End>;
  /** Resolves when the process has introduced itself. */
  readonly initialize: () => Promise<unknown>;
  /** Resolves with what is wrong with the stream, if ever. */
  readonly broken: Promise<string>;
  /** Nobody waits for this process any more. */
  readonly signal: AbortSignal;
  /** How long it may take. */
  readonly ms: number;
}

/** What a wrong command line and settings that cannot be read exit with: another try would end the same way. */
const usage = 2;

/** A process that ends closes its pipes first; its own words come a little later. */
const lastWordsMs = 1_000;

/** Rejects with a LaunchError where another try is of no use; then, as on every failure, the process is gone. */
export async function begin(o: Beginning): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([
      o.initialize(),
      o.ended.then((end) => Promise.reject(new Error(end.why))),
      o.broken.then((why) => Promise.reject(new LaunchError(`The program does not speak as the bridge does: ${why}`, "log"))),
      after(o.ms, timer.signal).then(() => Promise.reject(new Late(o.ms))),
      aborted(o.signal),
    ]);
  } catch (thrown) {
    const end = o.signal.aborted || thrown instanceof Late ? undefined : await within(o.ended, lastWordsMs);
    o.kill();
    await within(o.ended, lastWordsMs);
    throw explained(thrown, end);
  } finally {
    timer.abort();
  }
}

/** What the process said of its end says more than what its broken pipe does. */
function explained(thrown: unknown, end: End | undefined): unknown {
  if (end?.code === usage) {
    return new LaunchError(`The bridge cannot start: ${end.words ?? end.why}`, problemIn(end.words ?? "") ? "settingsFile" : "log");
  }
  if (end && !(thrown instanceof LaunchError)) return new Error(end.why);
  return thrown;
}

class Late extends LaunchError {
  constructor(ms: number) {
    super(`The bridge was started and did not answer within ${Math.round(ms / 1000)} seconds.`, "log");
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error("the start was called off"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  return Promise.race([promise, after(ms, timer.signal)]).finally(() => timer.abort());
}

function after(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
