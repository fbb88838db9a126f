/** How numbers, times and the words of the wire read to a person. */
import type {
  Access,
  ChangeUpdated,
  ResolvedBy,
  Resolution,
  Session,
  State,
  StopReason,
  Thinking,
} from "../protocol.gen.ts";
import type { CallItem, StateNow, TerminalInfo } from "../model/conversation.ts";
import { runsAlone } from "../model/running.ts";
import { rememberedWords } from "../model/verdicts.ts";

export function duration(ms: number): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 9.95) return `${s.toFixed(1)} s`;
  if (Math.round(s) < 60) return `${Math.round(s)} s`;
  const m = Math.floor(Math.round(s) / 60);
  if (m < 60) return `${m} min ${pad(Math.round(s) % 60)} s`;
  return `${Math.floor(m / 60)} h ${pad(m % 60)} min`;
}

/** Whole seconds: what is still counting would flicker with more. */
export function elapsed(ms: number): string {
  const s = Math.floor(Math.max(0, ms) / 1000);
  return s < 60 ? `${s} s` : duration(s * 1000);
}

/** As a sentence begins. */
export function sentence(words: string): string {
  return words.replace(/^./u, (first) => first.toUpperCase());
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}

export function ago(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  if (days === 1) return "yesterday";
  if (days < 7) return `${days} days ago`;
  return new Date(then).toISOString().slice(0, 10);
}

export const thinkingWords: { readonly [T in Thinking]: string } = {
  off: "No reasoning",
  low: "A little reasoning",
  medium: "More reasoning",
  high: "Most reasoning",
};

export const accessIcons: { readonly [A in Access]: string } = { read: "search", write: "edit", execute: "terminal" };

const stateWords: { readonly [S in State]: string } = {
  model: "Working",
  approval: "Waiting for you",
  tool: "Running",
  input: "The command waits for typing",
  retry: "Trying again",
  compacting: "Shortening the history",
  idle: "Ready",
};

/** What goes on, in one line; questions is how many wait. */
export function stateLine(state: StateNow, questions: number): string {
  const { detail } = state;
  switch (state.state) {
    case "approval":
      return questions > 1 ? `${questions} questions wait for you` : "A question waits for you";
    case "tool":
      return detail ? `Running ${detail}` : stateWords.tool;
    case "retry": {
      const attempt = state.attempt && state.max ? ` (${state.attempt} of ${state.max})` : "";
      return `${stateWords.retry}${attempt}${detail ? `: ${detail}` : ""}`;
    }
    default:
      return stateWords[state.state];
  }
}

export function sessionState(session: Session, now: number): string {
  const when = ago(session.updatedAt, now);
  if (session.state !== "idle") return `${when} · ${stateWords[session.state].toLowerCase()}`;
  return session.turnId ? `${when} · can be continued` : when;
}

/** What became of a change, in the words of the card that made it. */
export function changeWord({ state, edited }: Pick<ChangeUpdated, "state" | "edited">): string {
  return edited && (state === "applied" || state === "partly") ? "Applied, edited by you" : changeWords[state];
}

const changeWords: { readonly [S in ChangeUpdated["state"]]: string } = {
  proposed: "",
  applied: "Applied",
  partly: "Partly applied",
  rejected: "Not applied",
  reverted: "Taken back",
  stale: "The file changed meanwhile",
};

/** How long a call took or takes, without the time in which it waited for a person; then the clock stands still. */
export function callTime(call: CallItem, now: number): string {
  const { durationMs, startedAt, waitedMs = 0 } = call;
  if (durationMs !== undefined) return duration(durationMs - waitedMs);
  if (call.status !== "running" || startedAt === undefined || call.asksSince !== undefined) return "";
  return elapsed(now - startedAt - waitedMs);
}

/** How a call stands: an icon and a word. A call that is done may have a command that is not. */
export function callState(call: CallItem, asks: boolean, terminal?: TerminalInfo): { icon: string; word: string } {
  if (asks) return { icon: "question", word: "Waiting for you" };
  const runs = terminal !== undefined && !terminal.over;
  if (runs && terminal.waiting) return { icon: "keyboard", word: "Waits for typing" };
  if (runs && call.status !== "running" && runsAlone(terminal)) return { icon: "server-process", word: "Still runs" };
  if (call.status === "running") return { icon: "loading", word: "Running" };
  if (isDenied(call)) return { icon: "circle-slash", word: "Denied" };
  if (call.status === "completed") return { icon: "check", word: "Done" };
  return call.status === "failed" ? { icon: "error", word: "Failed" } : { icon: "circle-slash", word: "Stopped" };
}

const outcomeWords: { readonly [R in Resolution]: string } = {
  denied: "Denied",
  allowed: "Allowed",
  withdrawn: "Withdrawn",
};

const byWords: { readonly [B in ResolvedBy]: string } = {
  person: "by you",
  rule: "by a rule",
  grant: "by an earlier answer",
  cancel: "because the turn was stopped",
  superseded: "because the file changed",
  closed: "because the session was closed",
  nobody: "because nobody answered",
  timeout: "because time ran out",
};

/** Who decided about a call, and why. Of a person's yes the cause is only why they were asked. */
export function decisionLine(call: CallItem): string {
  const { remembered } = call.decision ?? {};
  return [decided(call), remembered ? rememberedWords(remembered) : "", call.retitled ? "You changed the command" : ""].filter(Boolean).join(" · ");
}

function decided(call: CallItem): string {
  const decision = decisionOf(call);
  if (!decision) return sentence(call.ruled ?? "");
  const line = `${outcomeWords[decision.outcome]} ${byWords[decision.by]}`;
  if (decision.by !== "person") return decision.cause ? `${line}: ${decision.cause}` : line;
  const words = decision.outcome === "denied" ? declined.exec(call.text)?.[1] : undefined;
  return words ? `${line}: “${words}”` : line;
}

/** Why a call came to nothing, where its decision does not say so. */
export function whyLine(call: CallItem): string {
  const lines = call.text.trim().split("\n");
  if (call.status === "failed") return lines[0] ?? "";
  return call.status === "aborted" && !decisionOf(call) && call.ruled === undefined ? (lines.at(-1) ?? "") : "";
}

/** By whomever; of what was never asked about only the line tells that says which rule decided. */
function isDenied(call: CallItem): boolean {
  const decision = decisionOf(call);
  return decision ? decision.outcome === "denied" : call.status === "aborted" && (/^denied\b/.test(call.ruled ?? "") || /^Tool call denied by user\.\ndenied\b/.test(call.text));
}

/** What the model reads of a person's no, with the person's words where there are some. */
const declined = /^declined by the user(?:.*?: "(.*)")?$/m;

/** Of history no decisions are told; a person's no is known by what the model read of it. */
function decisionOf({ decision, status, text }: CallItem): CallItem["decision"] {
  if (decision) return decision;
  return status === "aborted" && declined.test(text) ? { outcome: "denied", by: "person" } : undefined;
}

const endWords: { readonly [R in StopReason]: string } = {
  endTurn: "Finished",
  maxTokens: "The answer reached the model's limit and was cut",
  maxSteps: "The turn reached its limit",
  refusal: "The model's service declined to answer",
  cancelled: "Stopped",
  interrupted: "Interrupted",
  error: "Something broke",
};

export function endLine(reason: StopReason, cause: string | undefined): string {
  if (reason === "error" && cause) return cause;
  return cause ? `${endWords[reason]}: ${cause}` : endWords[reason];
}

export function fileName(uri: string): string {
  const path = uriPath(uri);
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** The path for people: within the folder when it lies there. */
export function shortPath(uri: string, cwd: string): string {
  const path = uriPath(uri);
  const folder = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function uriPath(uri: string): string {
  const path = uri.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray percent sign is part of the name
  }
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
