/**
 * A conversation as a person sees it, made from the events of one session.
 * It knows neither the editor nor the webview: both hold one and apply the
 * same events to it, so they never disagree.
 */
import type {
  Access, ApprovalRequestParams, Block, CallStatus, ChangeUpdated, Exit, NotificationsToEditor, Notice, Picture, Resolution,
  ResolvedBy, Scope, Session, State, StopReason, Subagent, TerminalStatus, Usage,
} from "../protocol.gen.ts";

export interface Conversation {
  session: Session;
  /** What is shown, oldest first. */
  items: Item[];
  state: StateNow;
  /** The model that answers, where the session names none. */
  modelNow?: string;
  /** The running turn; absent when none runs. */
  turnId?: string;
  /** Open questions in the order they were asked. */
  approvals: ApprovalRequestParams[];
  /** What the answers that are on their way would leave behind, by question. */
  remembering?: { [approvalId: string]: Remembered };
  /** What of it did not count, so that the question was put once more. */
  refused?: { [approvalId: string]: Remembered };
  /** Every change of the session, by id. */
  changes: { [changeId: string]: ChangeUpdated };
  /** Of each change that stood in files at one time, the hunks that did: once it is taken back none of them tells. */
  stood: { [changeId: string]: readonly string[] };
  /** Every command of the session, by id. */
  terminals: { [terminalId: string]: TerminalInfo };
  /** Every subagent that the session started, by what the model calls it. What each does stands in a conversation of its own. */
  subagents: { [subagentId: string]: Subagent };
  /** Tokens of the whole session; absent until the first step. */
  total?: Usage;
  contextTokens?: number;
  contextLimit?: number;
  /** Steering text that the model has not read yet, oldest first. */
  queued?: (readonly Block[])[];
  /** Turns whose prompt was sent again with another text, and the turn that came instead. They are folded away. */
  replaced?: { [turnId: string]: string };
  /** The newest event applied. */
  lastSeq: number;
}

export interface StateNow {
  state: State;
  since: number;
  detail: string;
  attempt?: number;
  max?: number;
  callId?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a command is and how it stands. Its status is that of the wire: all of it changes at once. */
export interface TerminalInfo extends Mutable<TerminalStatus> {
  terminalId: string;
  callId: string;
  title: string;
  cwd: string;
  cols: number;
  rows: number;
  /** What the model calls it. */
  processId?: string;
  /** It has no terminal of its own: what is typed goes to its standard input. */
  pipes?: boolean;
  /** What holds it. */
  sandbox?: string;
  /** When it began, by this side's clock; absent for history. */
  startedAt?: number;
  /** How the command itself ended; what it started may run on. */
  exit?: Exit;
  /** Nothing is left of it. */
  over?: true;
  /** The end of the output of a command of an earlier run of the bridge. */
  tail?: string;
  /** What stands in the last line of the output of a command that runs: often what it waits for. */
  lastLine?: string;
}

/** Key is unique in its conversation and stays, so that a view can update in place. */
export type Item =
  | { kind: "prompt"; key: string; turnId: string; blocks: readonly Block[] }
  | { kind: "steer"; key: string; turnId: string; blocks: readonly Block[] }
  | { kind: "message"; key: string; turnId: string; text: string }
  | { kind: "thought"; key: string; turnId: string; text: string }
  | CallItem
  | EndItem
  /** What the model learns: background commands ended, and a person did something with its changes. */
  | { kind: "ended"; key: string; turnId: string; notices: readonly Notice[]; remarks?: readonly string[] }
  | { kind: "notice"; key: string; text: string };

export interface CallItem {
  kind: "call";
  key: string;
  turnId: string;
  callId: string;
  name: string;
  title: string;
  access: Access;
  args?: { readonly [key: string]: unknown };
  status: "running" | CallStatus;
  /** What the model reads; while the call runs, its progress. */
  text: string;
  changeId?: string;
  terminalId?: string;
  /** Its command runs on, or left processes behind, under this name. */
  processId?: string;
  /** What the model was given to see. */
  images?: readonly Picture[];
  /** When it started, by this side's clock; absent for history. */
  startedAt?: number;
  durationMs?: number;
  /** How much of the time a question about it waited for a person. */
  waitedMs?: number;
  /** A question about it waits since then, by this side's clock. */
  asksSince?: number;
  /** The person changed the command; the title is what ran. */
  retitled?: boolean;
  /** How the questions about it ended: the last one's end. */
  decision?: { outcome: Resolution; by: ResolvedBy; cause?: string; remembered?: Remembered };
  /** Which rule or remembered yes decided about it, where nobody was asked. */
  ruled?: string;
}

/** What a person's yes leaves behind. */
export interface Remembered {
  readonly scope: Scope;
  /** Rules to the letter, a line each. */
  readonly rule: string;
}

export interface EndItem {
  kind: "end";
  key: string;
  turnId: string;
  stopReason: StopReason;
  cause?: string;
  hint?: string;
  /** Steering text that the model never read. */
  returned?: readonly Block[];
}

/** What happened in a session; settings are of none. */
export type EventName = Exclude<keyof NotificationsToEditor, "trust/required" | "settings/changed">;
