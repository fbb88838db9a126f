/** What the extension and its conversation view say to each other. */
import type { Conversation, EventName, Remembered } from "../model/conversation.ts";
import type {
  ApprovalAnswer, ApprovalRequestParams, Block, Mode, Model, Preset, Provider, Session, Thinking, Trust, TrustRequired,
} from "../protocol.gen.ts";

/** What a person decided about a hunk that is still asked about. */
export type Verdict = "accept" | "reject";
export type Marks = { readonly [hunkId: string]: Verdict };

/** How the bridge is. Failed says why and which button helps. */
export type Connection =
  | { kind: "starting" }
  | { kind: "ready" }
  | { kind: "restarting"; inMs: number; why: string }
  | { kind: "failed"; why: string; help: "install" | "settings" | "settingsFile" | "log" | "restart" };

/** Something of the workspace that goes along with a prompt. */
export type Mention =
  | { kind: "file"; uri: string; name: string }
  | { kind: "selection"; uri: string; name: string; startLine: number; endLine: number; block: Block };

export type ToView =
  /** All there is; sent when the view says ready and when another session is shown. */
  | {
      kind: "snapshot"; conversation: Conversation | null; children: readonly Conversation[]; connection: Connection; marks: { readonly [changeId: string]: Marks };
      modes: readonly Mode[]; presets: readonly Preset[]; trusted: boolean; trusts: readonly TrustRequired[]; draft: string; mentions: readonly Mention[];
    }
  | { kind: "event"; method: EventName; params: unknown }
  | { kind: "asked"; approval: ApprovalRequestParams }
  /** The conversation of a subagent of the session that is shown, whole: it was loaded. */
  | { kind: "child"; conversation: Conversation }
  /** A question is gone without an event that says so. */
  | { kind: "withdrawn"; sessionId: string; approvalId: string }
  /** A yes that is remembered was given (model/reduce.ts: remembering). */
  | { kind: "remembering"; sessionId: string; approvalId: string; remembered: Remembered }
  /** The settings of the workspace that wait for a word about them. */
  | { kind: "trusts"; trusts: readonly TrustRequired[] }
  /** Steering text was handed over and is not read yet (model/reduce.ts: queued). */
  | { kind: "queued"; content: readonly Block[] }
  /** What a running command said last. */
  | { kind: "lastLine"; sessionId: string; terminalId: string; text: string }
  | { kind: "connection"; connection: Connection }
  /** What is decided about the hunks of a change that is still asked about. */
  | { kind: "marks"; changeId: string; marks: Marks }
  | { kind: "models"; models: readonly Model[]; providers: readonly Provider[] }
  | { kind: "sessions"; sessions: readonly Session[]; current?: string }
  /** Answers findFiles. */
  | { kind: "files"; request: number; files: readonly { uri: string; name: string; path: string }[] }
  /** Add it to the prompt box and show it as a chip. */
  | { kind: "mention"; mention: Mention }
  /** Move the keyboard: to the prompt box, to a question (the first when absent), to the list of
   * sessions, to the last prompt, for editing, or to what asks for trust. */
  | { kind: "focus"; what: "prompt" | "approval" | "sessions" | "resend" | "trust"; approvalId?: string }
  /** Puts text into the prompt box, for example steering text that came back. */
  | { kind: "draft"; text: string }
  /** Something a person asked for went wrong: one line, shown until dismissed. */
  | { kind: "trouble"; text: string; hint?: string };

export type FromView =
  | { kind: "ready" }
  /** Starts a turn, or steers the one that runs. */
  | { kind: "send"; text: string; mentions: readonly Mention[] }
  | { kind: "stop" }
  /** Ids of questions, changes and terminals mean something only with their session, which may no
   * longer be the one that is shown. */
  | { kind: "answer"; sessionId: string; approvalId: string; answer: ApprovalAnswer }
  /** Whether settings that the workspace brings shall count: those that were shown, and no others. */
  | { kind: "trust"; workspace: string; digest: string; trust: Trust }
  /** A mark is of the question it was made on: another may be about the same change by now. */
  | { kind: "mark"; sessionId: string; approvalId: string; changeId: string; hunkId: string; verdict: Verdict | null }
  /** Decides every hunk of a change that is still undecided. */
  | { kind: "markAll"; sessionId: string; approvalId: string; changeId: string; verdict: Verdict }
  /** Keeps (accept) or takes back (reject) hunks of a change that is applied. */
  | { kind: "resolve"; sessionId: string; changeId: string; hunks: readonly string[] | "all"; verdict: Verdict }
  | { kind: "openChange"; sessionId: string; changeId: string }
  | { kind: "editProposal"; sessionId: string; changeId: string }
  /** Shows what it would do to take back what a turn, and those after it, did to files. */
  | { kind: "rewind"; sessionId: string; turnId: string }
  | { kind: "showTerminal"; sessionId: string; terminalId: string }
  /** Asks, in the editor's own box, for a line to type into a command. */
  | { kind: "typeInto"; sessionId: string; terminalId: string }
  /** Ends a command and all it started; the turn goes on. */
  | { kind: "stopCommand"; sessionId: string; terminalId: string }
  /** Ends a subagent, its commands and its questions; the turn goes on. */
  | { kind: "stopSubagent"; sessionId: string; subagentId: string }
  /** Asks for the conversation of a subagent of which only its end is known. */
  | { kind: "loadChild"; sessionId: string }
  /** Shows a picture that a call gave to the model in an editor, where there is room. */
  | { kind: "openPicture"; sessionId: string; callId: string; index: number }
  | { kind: "open"; uri: string; line?: number }
  | { kind: "newSession" }
  /** Lets the person choose which tools a new session's model has. */
  | { kind: "chooseProfile" }
  | { kind: "listSessions" }
  | { kind: "loadSession"; sessionId: string }
  | { kind: "listModels" }
  | { kind: "configure"; mode?: Mode; preset?: Preset; model?: string; thinking?: Thinking; title?: string }
  /** Takes up the turn that was interrupted or that failed. */
  | { kind: "continue" }
  /** Sends the last prompt again with another text. */
  | { kind: "resend"; turnId: string; text: string; mentions: readonly Mention[] }
  | { kind: "findFiles"; request: number; query: string }
  | { kind: "addSelection" }
  | { kind: "setKey"; provider?: string }
  /** Asks for a model by its name. */
  | { kind: "otherModel" }
  | { kind: "help"; what: "install" | "settings" | "settingsFile" | "log" | "restart" | "trust" }
  /** The draft is kept when the view goes away. */
  | { kind: "draft"; text: string; mentions: readonly Mention[] };
