/** What the conversation view asks for, handed to whoever does it. */
import type { FromView, Mention, ToView, Verdict } from "./messages.ts";
import { toBridgeError } from "../bridge/link.ts";
import type { Link } from "../bridge/link.ts";
import type { Desk } from "../model/desk.ts";
import type { CommandName } from "../model/running.ts";
import type { Sessions } from "../model/sessions.ts";
import type { TrustName } from "../model/trusts.ts";
import { rememberedBy } from "../model/verdicts.ts";
import type { Block, Trust } from "../protocol.gen.ts";
import type { PictureName } from "../pictures.ts";
import type { ChangeRef } from "../review/address.ts";
import type { MarkBook } from "../review/marks.ts";
import type { Work } from "../work.ts";

/** What takes the editor to do. */
export interface Editor {
  tell(message: ToView): void;
  trouble(text: string, hint?: string): void;
  toBlocks(text: string, mentions: readonly Mention[]): Block[];
  findFiles(query: string): Promise<readonly { uri: string; name: string; path: string }[]>;
  command(name: string, ...args: unknown[]): Promise<unknown>;
  openChange(change: ChangeRef): Promise<void>;
  editProposal(change: ChangeRef): Promise<void>;
  resolve(change: ChangeRef, hunks: readonly string[] | "all", verdict: Verdict): Promise<void>;
  rewind(turnId: string): Promise<void>;
  showTerminal(name: CommandName): Promise<void>;
  typeInto(name: CommandName): Promise<void>;
  stopCommand(name: CommandName): Promise<void>;
  openPicture(name: PictureName): Promise<void>;
  open(uri: string, line: number | undefined): Promise<void>;
  /** Answers about settings that the workspace brings. */
  trust(name: TrustName, trust: Trust): Promise<void>;
  help(what: Extract<FromView, { kind: "help" }>["what"]): Promise<void>;
}

export interface HearDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly marks: MarkBook;
  readonly work: Work;
  readonly editor: Editor;
}

/** Never rejects: what goes wrong is said in the view. */
export async function hear(message: FromView, deps: HearDeps): Promise<void> {
  try {
    await dispatch(message, deps);
  } catch (thrown) {
    const fault = toBridgeError(thrown);
    deps.editor.trouble(fault.message, fault.hint);
  }
}

async function dispatch(m: FromView, deps: HearDeps): Promise<unknown> {
  const { link, sessions, marks, work, editor } = deps;
  const sessionId = sessions.current?.session.sessionId;
  switch (m.kind) {
    case "ready":
    case "draft":
      return undefined;
    case "send":
      return sent(m, await work.send(editor.toBlocks(m.text, m.mentions)), editor);
    case "resend":
      return work.resend(m.turnId, editor.toBlocks(m.text, m.mentions));
    case "stop":
      return work.stop();
    case "continue":
      return work.continue();
    case "answer":
      return counted(answer(m, deps), editor);
    case "trust":
      return editor.trust(m, m.trust);
    case "mark":
      return counted(marks.mark(m.changeId, m.hunkId, m.verdict, m), editor);
    case "markAll":
      return counted(marks.markAll(m.changeId, m.verdict, m), editor);
    case "resolve":
      if (!sessions.isShown(m.sessionId)) throw new Error("Another session is shown by now; nothing was changed.");
      return editor.resolve({ sessionId: m.sessionId, changeId: m.changeId }, m.hunks, m.verdict);
    case "openChange":
      return editor.openChange({ sessionId: m.sessionId, changeId: m.changeId });
    case "editProposal":
      return editor.editProposal({ sessionId: m.sessionId, changeId: m.changeId });
    case "rewind":
      if (m.sessionId !== sessionId) throw new Error("Another session is shown by now; nothing was changed.");
      return editor.rewind(m.turnId);
    case "showTerminal":
      return editor.showTerminal(m);
    case "typeInto":
      return editor.typeInto(m);
    case "stopCommand":
      return editor.stopCommand(m);
    case "stopSubagent":
      return work.stopSubagent(m.sessionId, m.subagentId);
    case "loadChild":
      return work.loadChild(m.sessionId);
    case "openPicture":
      return editor.openPicture({ sessionId: m.sessionId, callId: m.callId, index: m.index });
    case "chooseProfile":
      return editor.command("drawbridge.newSessionWith");
    case "open":
      return editor.open(m.uri, m.line);
    case "newSession":
      return work.newSession();
    case "listSessions":
      return editor.tell({ kind: "sessions", sessions: await work.list(), ...(sessionId !== undefined && { current: sessionId }) });
    case "loadSession":
      return work.switchTo(m.sessionId);
    case "listModels":
      return editor.tell({ kind: "models", ...(await link.request("model/list", {})) });
    case "configure": {
      const { kind: _, ...change } = m;
      return work.configure(change);
    }
    case "findFiles":
      return editor.tell({ kind: "files", request: m.request, files: await editor.findFiles(m.query) });
    case "addSelection":
      return editor.command("drawbridge.addSelection");
    case "setKey":
      return editor.command("drawbridge.setKey", m.provider);
    case "otherModel":
      return editor.command("drawbridge.selectModel", "other");
    case "help":
      return editor.help(m.what);
  }
}

/** What the answer would leave behind is known before it is sent: the end of the question may come at once. */
function answer(m: Extract<FromView, { kind: "answer" }>, { desk, sessions }: HearDeps): boolean {
  const question = desk.get(m);
  const remembered = question && rememberedBy(question, m.answer);
  if (remembered) sessions.remember(question, remembered);
  return desk.answer(m, m.answer);
}

function counted(isOpen: boolean, editor: Editor): void {
  if (!isOpen) editor.trouble("This question is not open any more.");
}

/** What did not get through is still the person's. */
function sent(m: Extract<FromView, { kind: "send" }>, through: boolean, editor: Editor): void {
  if (through) return;
  editor.tell({ kind: "draft", text: m.text });
  for (const mention of m.mentions) editor.tell({ kind: "mention", mention });
}
