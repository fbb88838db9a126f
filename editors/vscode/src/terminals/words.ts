/** What terminals say beside the output of their commands. */
import { inertLabel } from "../model/inert.ts";
import type { Exit } from "../protocol.gen.ts";

const maxName = 40;

/** The name of a terminal's tab: the command, as much of its first line as fits. */
export function terminalName(title: string, exit?: Exit): string {
  const line = inertLabel(title.trim().split(/\s*[\r\n]/, 1)[0] ?? "");
  const name = (line.length > maxName ? `${line.slice(0, maxName - 1)}…` : line) || "command";
  return exit ? `${name} (${shortExit(exit)})` : name;
}

export function exitWords(exit: Exit): string {
  return exit.signal ? `ended by ${exit.signal}` : `exited with code ${exit.code ?? 0}`;
}

function shortExit(exit: Exit): string {
  if (exit.signal) return exit.signal;
  return exit.code === 0 ? "done" : `exit ${exit.code ?? 0}`;
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
