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

export interface End {
  readonly why: string;
  /** Absent: a signal ended it. */
  readonly code?: number;
  /** The last line of its standard error, where it did not end well. */
  readonly words?: string;
}

/** A process of its own that the program left behind may hold the pipes open; nobody waits for that. */
const drainMs = 1_000;

/** Resolves when the process is gone and its standard error was read. */
export function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const tell = (): void => {
        release(child);
        resolve(describe(code, signal, code === 0 ? undefined : lastWords.get(child)));
      };
      const timer = setTimeout(tell, drainMs);
      child.once("close", () => {
        clearTimeout(timer);
        tell();
      });
    });
  });
}

/** Ends it whatever it does, and takes nothing from it any more. */
export function kill(child: ChildProcess): void {
  child.kill("SIGKILL");
  release(child);
  child.stderr?.destroy();
}

/** Whoever else holds the pipes learns that nobody is there; readers of ours learn that nothing comes. */
function release(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
}

function describe(code: number | null, signal: NodeJS.Signals | null, words: string | undefined): End {
  const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
  return { why: `the process ${how}${words ? `: ${words}` : ""}`, ...(code !== null && { code }), ...(words && { words }) };
}

/** What a run of the program prints. Rejects when it fails, takes longer than ms or is called off. */
export function output(file: string, args: readonly string[], input: string, ms: number, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: ms, maxBuffer: 16 << 20, windowsHide: true, killSignal: "SIGKILL", signal } as const;
    const child = execFile(file, [...args], options, (fault, stdout) => {
      if (fault) reject(fault);
      else resolve(stdout);
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
