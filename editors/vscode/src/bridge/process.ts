/** The bridge's process: spawned, read, and its end put into words. Knows nothing of what it says on its output. */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { LaunchError } from "./bridge.ts";
import { parseLogLine } from "./logline.ts";
import type { Level } from "./logline.ts";

interface Writer {
  write(level: Level, text: string): void;
}

/** The last words of a process, by which its end is explained. */
const lastWords = new WeakMap<ChildProcess, string>();

export function spawnBridge(file: string, env: { readonly [name: string]: string }, log: Writer): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, ["serve"], { env: { ...process.env, ...env }, stdio: "pipe", windowsHide: true });
    child.once("error", (fault) => reject(new LaunchError(`${file} cannot be started: ${fault.message}`, "settings")));
    child.once("spawn", () => {
      // A pipe that breaks is told by the process's end; unheard it would be thrown.
      child.stdin.on("error", () => undefined);
      createInterface({ input: child.stderr }).on("line", (line) => {
        const { level, text } = parseLogLine(line);
        lastWords.set(child, text);
        log.write(level, text);
      });
      resolve(child);
    });
  });
}

/** Resolves when the process is gone and its standard error was read. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      const words = code === 0 ? undefined : lastWords.get(child);
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      resolve(`the process ${how}${words ? `: ${words}` : ""}`);
    });
  });
}

/** What a run of the program prints. Rejects when it fails or takes longer than ms. */
export function output(file: string, args: readonly string[], input: string, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, [...args], { timeout: ms, maxBuffer: 16 << 20, windowsHide: true }, (fault, stdout) => {
      if (fault) reject(fault);
      else resolve(stdout);
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
