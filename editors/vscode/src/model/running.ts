/** The commands that run, and how each stands, in a person's words. */
import type { Conversation, TerminalInfo } from "./conversation.ts";
import type { Exit, Survivor, TerminalStatus } from "../protocol.gen.ts";

/** Names a command; every session counts its own from one. */
export interface CommandName {
  readonly sessionId: string;
  readonly terminalId: string;
}

/** How a command stands, whoever tells of it. */
export type Standing = TerminalStatus & { readonly exit?: Exit };

/** Those of a session of which something still runs, in the order of their starts. */
export function runningCommands(c: Conversation): TerminalInfo[] {
  return Object.values(c.terminals).filter((terminal) => !terminal.over);
}

/** The one that keeps a turn waiting for a person's typing. */
export function waitingCommand(conversations: readonly Conversation[]): (TerminalInfo & CommandName) | undefined {
  for (const { session: { sessionId }, terminals } of conversations) {
    const found = Object.values(terminals).find((t) => t.waiting && !t.background && !t.over);
    if (found) return { ...found, sessionId };
  }
  return undefined;
}

/** Nothing is left of it, going by the bridge's list. */
export function isOver({ exit, survivors }: Standing): boolean {
  return exit !== undefined && (survivors?.length ?? 0) === 0;
}

/** What it says before it waits is such that the answer should not stand on the screen. */
export function asksForSecret(lastLine: string): boolean {
  return /\b(?:password|passphrase|passcode|secret|token|pin)\b[^\n]*[:?]\s*$/i.test(lastLine);
}

/** What was typed for a command that waited goes to what it asked then, and to nothing that came since. */
export function stillAsks(then: Asking, now: Asking): boolean {
  return !then.waiting || then.lastLine === now.lastLine;
}

type Asking = Pick<TerminalInfo, "waiting" | "lastLine">;

/** Runs on without a call that waits for it: nobody would see it but for the list. */
export function runsAlone({ background, survivors }: TerminalStatus): boolean {
  return background === true || (survivors?.length ?? 0) > 0;
}

/** "exit 0 · 2 processes still run: node server.js, sleep 9"; "" for a command that simply runs. */
export function standingWords(standing: Standing): string {
  const { background, waiting, survivors, exit } = standing;
  if (exit && survivors?.length) return `${shortExit(exit)} · ${survivorWords(survivors)}`;
  return [waiting && "waits for typing", background && "runs in the background"].filter(Boolean).join(" · ");
}

export function survivorWords(survivors: readonly Survivor[]): string {
  const what = survivors.length === 1 ? "1 process still runs" : `${survivors.length.toLocaleString("en-US")} processes still run`;
  return `${what}: ${namesOf(survivors)}`;
}

export function shortExit(exit: Exit): string {
  return exit.code === undefined ? (exit.signal ?? "ended") : `exit ${exit.code}`;
}

/** Of many the first are named. */
const mostNamed = 3;

/** The same name many times, as of the workers of a server, is one name. */
function namesOf(survivors: readonly Survivor[]): string {
  const times = new Map<string, number>();
  for (const { name } of survivors) times.set(name, (times.get(name) ?? 0) + 1);
  const names = [...times].map(([name, n]) => (n > 1 ? `${name} ×${n}` : name));
  return names.length > mostNamed ? `${names.slice(0, mostNamed).join(", ")}, …` : names.join(", ");
}
