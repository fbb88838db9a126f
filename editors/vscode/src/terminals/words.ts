/** What terminals say beside the output of their commands. */
import { inertLabel } from "../model/inert.ts";
import { shortExit, survivorWords } from "../model/running.ts";
import type { Standing } from "../model/running.ts";
import type { Exit, Survivor } from "../protocol.gen.ts";

const maxName = 40;

/** The name of a terminal's tab: the command, as much of its first line as fits, and how it stands. */
export function terminalName(title: string, standing: Standing = {}): string {
  const line = inertLabel(title.trim().split(/\s*[\r\n]/, 1)[0] ?? "");
  const name = (line.length > maxName ? `${line.slice(0, maxName - 1)}…` : line) || "command";
  const state = shortState(standing);
  return state === "" ? name : `${name} (${state})`;
}

function shortState({ exit, survivors = [], waiting }: Standing): string {
  if (exit && survivors.length > 0) return `${shortExit(exit)}, ${survivors.length} still ${survivors.length === 1 ? "runs" : "run"}`;
  if (exit) return exit.code === 0 ? "done" : shortExit(exit);
  return waiting ? "waits for typing" : "";
}

/** What is said in a terminal whose command ended and left something behind. */
export function leftWords(exit: Exit, survivors: readonly Survivor[]): string {
  return `${exitWords(exit)}; ${inertLabel(survivorWords(survivors))}; closing this terminal ends it all`;
}

export const allEnded = "nothing of it runs any more";

export function exitWords(exit: Exit): string {
  return exit.signal ? `ended by ${exit.signal}` : `exited with code ${exit.code ?? 0}`;
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
