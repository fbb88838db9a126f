/** Wires the parts together. What each does stands in its own file. */
import * as vscode from "vscode";
import { activateApprovals } from "./approvals.ts";
import { listRules } from "./approvals/list.ts";
import { Trusting } from "./approvals/trusting.ts";
import { Bridge } from "./bridge/bridge.ts";
import type { Answers } from "./bridge/client.ts";
import { toBridgeError } from "./bridge/link.ts";
import { findProgram, launcher } from "./bridge/launch.ts";
import { activateCommands } from "./commands.ts";
import { hear } from "./conversation/hear.ts";
import type { Editor } from "./conversation/hear.ts";
import type { Connection } from "./conversation/messages.ts";
import { ConversationView } from "./conversation/view.ts";
import { Diagnostics } from "./diagnostics.ts";
import { help, offerHelp, open } from "./help.ts";
import type { HelpDeps } from "./help.ts";
import { Keys } from "./keys.ts";
import { Log } from "./log.ts";
import { FileFinder, toBlocks } from "./mentions.ts";
import { Desk } from "./model/desk.ts";
import type { QuestionName } from "./model/desk.ts";
import { Sessions } from "./model/sessions.ts";
import { Trusts } from "./model/trusts.ts";
import type { ApprovalReminder, TurnCompleted } from "./protocol.gen.ts";
import { activatePictures } from "./pictures.ts";
import type { Pictures } from "./pictures.ts";
import { refreshDocument } from "./refresh.ts";
import { report } from "./report.ts";
import { Running } from "./running.ts";
import { activateReview } from "./review/index.ts";
import type { Review } from "./review/index.ts";
import { MarkBook } from "./review/marks.ts";
import { activateRewind } from "./rewind/index.ts";
import type { Rewind } from "./rewind/index.ts";
import { saveDocument } from "./save.ts";
import { SettingsFiles } from "./settings.ts";
import { activateStatus } from "./status.ts";
import { activateTerminals } from "./terminals.ts";
import type { Terminals } from "./terminals.ts";
import { activateTrust, readSettings } from "./trust.ts";
import { Work } from "./work.ts";

const sessionKey = "drawbridge.session";

let bridge: Bridge | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = new Log();
  const sessions = new Sessions();
  const desk = new Desk();
  const marks = new MarkBook(desk);
  const diagnostics = new Diagnostics();
  const trusts = new Trusts();
  const settings = new SettingsFiles(() => void link.restart());
  const link: Bridge = (bridge = new Bridge(launcher(context, log, answersOf(desk, sessions, diagnostics), {
    trust: (required) => trusts.announce(required), settings: (changed) => settings.changed(changed),
  })));
  const work = new Work({
    link, sessions, settings: readSettings, trusted: () => vscode.workspace.isTrusted,
    folder: () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    memory: {
      get: () => context.workspaceState.get<string>(sessionKey),
      set: (id) => void context.workspaceState.update(sessionKey, id),
    },
    trouble: (text, hint) => view.trouble(text, hint),
  });
  const review = activateReview(context, { link, sessions, desk, marks });
  const rewind = activateRewind(context, { link, sessions });
  const terminals: Terminals = activateTerminals(context, { link, sessions, waits: (name) => running.waits(name) });
  const running = new Running({ link, sessions, terminals, viewVisible: (id) => view.visible && sessions.isShown(id), stopSubagent: (name) => work.stopSubagent(name.sessionId, name.subagentId) });
  const pictures = activatePictures(sessions);
  const view: ConversationView = new ConversationView({
    extensionUri: context.extensionUri, link, sessions, desk, marks, trusts, store: context.workspaceState,
    hear: (message) => void hear(message, { link, sessions, desk, marks, work, editor }),
  });
  const helping: HelpDeps = { extensionUri: context.extensionUri, link, log, files: settings };
  const trusting = new Trusting({ link, trusts, log, lead: () => void view.focus("trust") });
  const editor = editorOf({ view, review, rewind, terminals, running, trusting, pictures, helping });
  const keys = new Keys(context, link, log);
  const focusQuestion = ({ sessionId, approvalId }: QuestionName): void => {
    void vscode.commands.executeCommand("drawbridge.nextQuestion", { sessionId, approvalId });
  };
  const inView = (): boolean => view.visible && desk.pending.every((q) => sessions.isShown(q.sessionId));
  const notices = activateApprovals(context, { desk, focusView: focusQuestion, viewVisible: inView });
  context.subscriptions.push(
    log, view, keys, running, diagnostics, trusting, settings, pictures, activateTrust(work),
    activateStatus({ link, sessions, desk, show: (id) => void work.switchTo(id).then(() => view.focus()) }),
    link.onConnection((connection) => settings.connection(connection)),
    activateCommands({
      bridge: link, sessions, desk, view, work, keys, log, running, settings, showTerminal: (name) => terminals.show(name),
      rules: () => listRules(link, work),
      report: () => report({
        version: versionOf(context), choice: () => findProgram(context), connection: () => link.connection, log,
      }),
    }),
    follow({ link, sessions, desk, view, remind: (name) => notices.remind(name) }),
    keys.onChange(() => void Promise.all([work.modelsChanged(), tellModels(link, view, log)])),
    link.onConnection((connection) => void attend(connection, { sessions, desk, keys, work, helping })),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const affects = (name: string): boolean => change.affectsConfiguration(`drawbridge.${name}`);
      if (affects("path") || affects("env")) void link.restart();
      else if (affects("model") || affects("mode") || affects("preset") || affects("profile")) void work.settingsChanged();
    }),
  );
  void link.restart();
}

/** The editor waits for this; the bridge ends its commands and itself within two seconds. */
export async function deactivate(): Promise<void> {
  await bridge?.stop();
}

function answersOf(desk: Desk, sessions: Sessions, diagnostics: Diagnostics): Answers {
  return {
    "approval/request": async (question, token) => {
      sessions.ask(question);
      try {
        return await desk.ask(question, (withdraw) => token.onCancellationRequested(withdraw));
      } finally {
        if (desk.get(question) === undefined) sessions.withdraw(question);
      }
    },
    "editor/save": async ({ uri }) => ({ saved: await saveDocument(uri) }),
    "editor/refresh": async ({ uri }, token) => ({ refreshed: await refreshDocument(uri, token) }),
    "editor/diagnostics": (params, token) => diagnostics.of(params, token),
  };
}

interface Followed {
  readonly link: Bridge;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly view: ConversationView;
  readonly remind: (name: QuestionName) => void;
}

/** Events reach the conversations first, so that whoever hears of one finds it done. */
function follow({ link, sessions, desk, view, remind }: Followed): vscode.Disposable {
  return link.onEvent((method, params) => {
    sessions.apply(method, params);
    if (method === "approval/resolved" && !params.replayed) desk.withdraw(params as QuestionName);
    if (method === "approval/reminder" && !params.replayed) remind(params as ApprovalReminder);
    if (method !== "turn/completed" || params.replayed) return;
    const { sessionId, returned } = params as TurnCompleted;
    if (!returned?.length || sessionId !== sessions.current?.session.sessionId) return;
    view.tell({ kind: "draft", text: returned.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n") });
  });
}

/** Which models can be asked, where it is shown. */
async function tellModels(link: Bridge, view: ConversationView, log: Log): Promise<void> {
  if (!view.visible) return; // it asks when it comes up
  try {
    view.tell({ kind: "models", ...(await link.request("model/list", {})) });
  } catch (thrown) {
    log.write("warn", `the models cannot be listed: ${toBridgeError(thrown).message}`);
  }
}

interface Attended {
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly keys: Keys;
  readonly work: Work;
  readonly helping: HelpDeps;
}

async function attend(connection: Connection, { sessions, desk, keys, work, helping }: Attended): Promise<void> {
  if (connection.kind === "ready") {
    await work.restore(keys.handOver());
    return;
  }
  desk.clear();
  sessions.cutOff();
  if (connection.kind === "starting") return;
  helping.log.write(connection.kind === "failed" ? "error" : "warn", connection.why);
  if (connection.kind === "failed") await offerHelp(connection, helping);
}

interface Parts {
  readonly view: ConversationView;
  readonly review: Review;
  readonly rewind: Rewind;
  readonly terminals: Terminals;
  readonly running: Running;
  readonly trusting: Trusting;
  readonly pictures: Pictures;
  readonly helping: HelpDeps;
}

function editorOf({ view, review, rewind, terminals, running, trusting, pictures, helping }: Parts): Editor {
  const finder = new FileFinder();
  return {
    tell: (message) => view.tell(message),
    trouble: (text, hint) => view.trouble(text, hint),
    toBlocks,
    findFiles: (query) => finder.find(query),
    command: (name, ...args) => Promise.resolve(vscode.commands.executeCommand(name, ...args)),
    openChange: (change) => review.openChange(change),
    editProposal: (change) => review.editProposal(change),
    resolve: (change, hunks, verdict) => review.resolve(change, hunks, verdict),
    rewind: (turnId) => rewind.ofTurn(turnId),
    showTerminal: (name) => terminals.show(name),
    typeInto: (name) => running.typeInto(name),
    stopCommand: (name) => running.stop(name),
    openPicture: (name) => pictures.open(name),
    open,
    trust: (name, trust) => trusting.answer(name, trust),
    help: (what) => help(what, helping),
  };
}

function versionOf(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { version: string }).version;
}
