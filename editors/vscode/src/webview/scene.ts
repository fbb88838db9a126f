/** What the view holds, and what each message of the extension does to it. */
import type { Connection, Marks, ToView } from "../conversation/messages.ts";
import type { Conversation } from "../model/conversation.ts";
import { asked, newConversation, queued, reduce, remembering, withdrawn } from "../model/reduce.ts";
import { introduced, subagentsOf } from "../model/subagents.ts";
import type { ApprovalRequestParams, Mode, Model, Origin, Preset, Provider, Session, Subagent, TrustRequired } from "../protocol.gen.ts";

export interface Scene {
  conversation: Conversation | null;
  /** Those of its subagents, by their sessions. */
  children: { [sessionId: string]: Conversation };
  /** In the scene of a subagent: the one that it is part of. */
  whole?: Scene;
  connection: Connection;
  marks: { [changeId: string]: Marks };
  modes: readonly Mode[];
  presets: readonly Preset[];
  trusted: boolean;
  /** Settings of the workspace that wait for a word about them. */
  trusts: readonly TrustRequired[];
  /** Absent until they were asked for. */
  models?: readonly Model[];
  providers: readonly Provider[];
  sessions?: readonly Session[];
  /** Questions whose answer is on its way. */
  answering: Set<string>;
  /** Rules that a person is rewriting, by call and answers: a question that is asked anew has them again. */
  rewriting: Map<string, string>;
  trouble: { readonly text: string; readonly hint?: string } | null;
}

export function newScene(): Scene {
  return {
    conversation: null,
    children: {},
    connection: { kind: "starting" },
    marks: {},
    modes: [],
    presets: [],
    trusted: true,
    trusts: [],
    providers: [],
    answering: new Set(),
    rewriting: new Map(),
    trouble: null,
  };
}

/** Messages that only move the keyboard or fill the prompt box change nothing here. */
export function apply(scene: Scene, message: ToView): void {
  switch (message.kind) {
    case "snapshot":
      scene.conversation = message.conversation;
      scene.children = Object.fromEntries(message.children.map((child) => [child.session.sessionId, child]));
      scene.connection = message.connection;
      scene.marks = { ...message.marks };
      scene.modes = message.modes;
      scene.presets = message.presets;
      scene.trusted = message.trusted;
      scene.trusts = message.trusts;
      scene.answering.clear();
      break;
    case "event":
      tell(heardOf(scene, message.params as Heard), (c) => reduce(c, message.method, message.params));
      break;
    case "asked":
      scene.answering.delete(message.approval.approvalId); // asked once more: the answer did not count
      tell(heardOf(scene, message.approval), (c) => asked(c, message.approval));
      break;
    case "child":
      if (message.conversation.session.origin?.sessionId !== scene.conversation?.session.sessionId) break;
      scene.children = { ...scene.children, [message.conversation.session.sessionId]: message.conversation };
      break;
    case "withdrawn":
      tell(find(scene, message.sessionId), (c) => withdrawn(c, message.approvalId));
      break;
    case "remembering":
      tell(find(scene, message.sessionId), (c) => remembering(c, message.approvalId, message.remembered));
      break;
    case "trusts":
      scene.trusts = message.trusts;
      break;
    case "queued":
      if (scene.conversation) queued(scene.conversation, message.content);
      break;
    case "lastLine": {
      const terminal = find(scene, message.sessionId)?.terminals[message.terminalId];
      if (terminal && !terminal.over) terminal.lastLine = message.text;
      break;
    }
    case "connection":
      scene.connection = message.connection;
      break;
    case "marks":
      scene.marks = { ...scene.marks, [message.changeId]: message.marks };
      break;
    case "models":
      scene.models = message.models;
      scene.providers = message.providers;
      break;
    case "sessions":
      scene.sessions = message.sessions;
      break;
    case "trouble":
      scene.trouble = { text: message.text, ...(message.hint !== undefined && { hint: message.hint }) };
      scene.answering.clear(); // whatever was pressed may be pressed again
      break;
    default:
  }
}

interface Heard {
  readonly sessionId: string;
  readonly origin?: Origin;
}

/** The conversation that something happened in; a subagent's begins with the first thing that is heard of it. */
function heardOf(scene: Scene, { sessionId, origin }: Heard): Conversation | undefined {
  const { conversation } = scene;
  const known = find(scene, sessionId);
  if (known || !origin || origin.sessionId !== conversation?.session.sessionId) return known;
  const child = newConversation(introduced(sessionId, origin, conversation.session));
  scene.children = { ...scene.children, [sessionId]: child };
  return child;
}

function find({ conversation, children }: Scene, sessionId: string): Conversation | undefined {
  return conversation?.session.sessionId === sessionId ? conversation : children[sessionId];
}

function tell(conversation: Conversation | undefined, change: (c: Conversation) => void): void {
  if (conversation) change(conversation);
}

/** The scene of a subagent, in which its session is the one that is shown; undefined where nothing is known of it. */
export function within(scene: Scene, sessionId: string): Scene | undefined {
  const conversation = scene.children[sessionId];
  return conversation && { ...scene, conversation, whole: scene };
}

/** The subagents that a call started, also one that was only heard of by what it does. */
export function subagentsIn(scene: Scene, callId: string): Subagent[] {
  const { conversation, children, whole } = scene;
  if (!conversation || whole) return [];
  const known = subagentsOf(conversation, callId);
  const heard = Object.values(children).filter(({ session: { sessionId, origin } }) =>
    origin?.callId === callId && known.every((subagent) => subagent.sessionId !== sessionId));
  return [...known, ...heard.flatMap(({ session: { sessionId, origin, title, model, createdAt }, turnId }): Subagent[] =>
    origin ? [{ ...origin, sessionId, title, model, since: createdAt, state: turnId === undefined ? "idle" : "running" }] : [])];
}

/** The open questions from top to bottom; those of subagents stand where these were started. */
export function questions(scene: Scene): readonly ApprovalRequestParams[] {
  if (scene.whole) return questions(scene.whole);
  const { conversation, children } = scene;
  if (!conversation) return [];
  const theirs = Object.values(children).flatMap(({ approvals }) => approvals);
  if (theirs.length === 0) return conversation.approvals;
  const place = ({ callId, origin }: ApprovalRequestParams): number => {
    const at = conversation.items.findLastIndex((item) => item.kind === "call" && item.callId === (origin?.callId ?? callId));
    return at < 0 ? conversation.items.length : at;
  };
  return [...conversation.approvals, ...theirs].sort((a, b) => place(a) - place(b));
}

/** The questions about a call of the scene's own session. */
export function questionsOf({ conversation }: Scene, callId: string): readonly ApprovalRequestParams[] {
  return conversation?.approvals.filter((question) => question.callId === callId) ?? [];
}

export function isRunning(scene: Scene): boolean {
  return scene.conversation?.turnId !== undefined;
}
