/** What runs, what has the keyboard, and waiting for it to become otherwise. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Locator } from "playwright-core";

export interface Running {
  readonly pid: number;
  /** Its arguments, separated by NUL. */
  readonly command: string;
}

/** The processes that were started with this folder in their arguments or environment. */
export function processesOf(folder: string): Running[] {
  if (!existsSync("/proc/self/environ")) return processesByList(folder);
  const found: Running[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = read(`/proc/${pid}/cmdline`);
    if (command && (command.includes(folder) || read(`/proc/${pid}/environ`).includes(folder))) found.push({ pid, command });
  }
  return found;
}

/** Where there is no /proc: by arguments alone. */
function processesByList(folder: string): Running[] {
  const list = spawnSync("ps", ["-Ao", "pid=,args="], { encoding: "utf8" }).stdout;
  return list.split("\n").filter((line) => line.includes(folder)).map((line) => {
    const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command: (args ?? "").replaceAll(" ", "\0") };
  });
}

/** The longest that anything may take, on the busiest machine; scenes wait for what they need, not for this. */
export const patienceMs = 90_000;

/** Waits until it holds; fails when patience is over. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + patienceMs; ;) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error(`${what} did not come about in ${patienceMs / 1000} s`);
    await pause(50);
  }
}

/** Waits until what is typed goes there: a place that is seen has the keyboard a moment later. */
export function hasKeyboard(where: Locator): Promise<void> {
  return until(() => where.evaluate((e) => e === e.ownerDocument.activeElement && e.ownerDocument.hasFocus()), "the keyboard where it belongs");
}

/** A file that may go while it is read; then it is empty. */
export function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
