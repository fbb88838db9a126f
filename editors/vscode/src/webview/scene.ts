/** What the view holds, and what each message of the extension does to it. */
import type { Connection, Marks, ToView } from "../conversation/messages.ts";
import type { Conversation } from "../model/conversation.ts";
import { asked, queued, reduce, remembering, withdrawn } from "../model/reduce.ts";
import type { ApprovalRequestParams, Mode, Model, Preset, Provider, Session, TrustRequired } from "../protocol.gen.ts";

export interface Scene {
  conversation: Conversation | null;
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
      scene.connection = message.connection;
      scene.marks = { ...message.marks };
      scene.modes = message.modes;
      scene.presets = message.presets;
      scene.trusted = message.trusted;
      scene.trusts = message.trusts;
      scene.answering.clear();
      break;
    case "event":
      if (scene.conversation) reduce(scene.conversation, message.method, message.params);
      break;
    case "asked":
      scene.answering.delete(message.approval.approvalId); // asked once more: the answer did not count
      if (scene.conversation?.session.sessionId === message.approval.sessionId)
        asked(scene.conversation, message.approval);
      break;
    case "withdrawn":
      if (scene.conversation) withdrawn(scene.conversation, message.approvalId);
      break;
    case "remembering":
      if (scene.conversation) remembering(scene.conversation, message.approvalId, message.remembered);
      break;
    case "trusts":
      scene.trusts = message.trusts;
      break;
    case "queued":
      if (scene.conversation) queued(scene.conversation, message.content);
      break;
    case "lastLine": {
      const terminal = scene.conversation?.terminals[message.terminalId];
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

export function questions(scene: Scene): readonly ApprovalRequestParams[] {
  return scene.conversation?.approvals ?? [];
}

export function questionsOf(scene: Scene, callId: string): readonly ApprovalRequestParams[] {
  return questions(scene).filter((question) => question.callId === callId);
}

export function isRunning(scene: Scene): boolean {
  return scene.conversation?.turnId !== undefined;
}
