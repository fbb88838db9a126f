/** The status bar item, the context keys, and the notification that a turn has ended while nobody looked. */
import * as vscode from "vscode";
import type { Link } from "./bridge/link.ts";
import type { Desk } from "./model/desk.ts";
import { waitingCommand } from "./model/running.ts";
import type { CommandName } from "./model/running.ts";
import type { Sessions } from "./model/sessions.ts";
import { statusLine } from "./model/statusline.ts";
import type { TurnCompleted } from "./protocol.gen.ts";
import { say } from "./say.ts";

interface Deps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly desk: Desk;
  /** Shows a session's conversation. */
  readonly show: (sessionId: string) => void;
}

export function activateStatus(deps: Deps): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("drawbridge.status", vscode.StatusBarAlignment.Left, 10);
  item.name = "Drawbridge";
  const refresh = throttled(() => draw(item, deps));
  refresh();
  item.show();
  return vscode.Disposable.from(
    item,
    deps.link.onConnection(refresh),
    deps.desk.onChange(refresh),
    deps.sessions.onShown(refresh),
    deps.sessions.onChange(refresh),
    deps.sessions.onUpdate((id, update) => {
      if (update.kind !== "event" || update.method !== "turn/completed" || update.params.replayed || update.params.origin) return;
      notifyEnd(deps, id, update.params as TurnCompleted);
    }),
  );
}

function draw(item: vscode.StatusBarItem, { link, sessions, desk }: Deps): void {
  const questions = desk.pending;
  const line = statusLine(link.connection, sessions.current, questions, sessions.all);
  item.text = line.text;
  item.tooltip = line.tooltip;
  const waiting = line.click === "waiting" ? waitingCommand(sessions.all) : undefined;
  item.command = waiting ? showing(waiting) : `drawbridge.${line.click}`;
  item.backgroundColor = line.tone === "plain" ? undefined : new vscode.ThemeColor(`statusBarItem.${line.tone}Background`);
  item.accessibilityInformation = { label: `Drawbridge: ${line.text.replace(/\$\([^)]*\)\s*/g, "")}. ${line.tooltip}` };
  setContext("drawbridge.running", sessions.current?.turnId !== undefined);
  setContext("drawbridge.questions", questions.length);
}

function showing({ sessionId, terminalId }: CommandName): vscode.Command {
  return { title: "Show Terminal", command: "drawbridge.showTerminal", arguments: [{ sessionId, terminalId }] };
}

const contexts = new Map<string, unknown>();

function setContext(key: string, value: boolean | number): void {
  if (contexts.get(key) === value) return;
  contexts.set(key, value);
  void vscode.commands.executeCommand("setContext", key, value);
}

function notifyEnd(deps: Deps, sessionId: string, end: TurnCompleted): void {
  const wanted = vscode.workspace.getConfiguration("drawbridge").get<boolean>("notify", true);
  if (!wanted || vscode.window.state.focused || end.stopReason === "cancelled") return;
  const title = deps.sessions.get(sessionId)?.session.title ?? "";
  const what = end.stopReason === "endTurn" ? "has finished" : `has stopped${end.cause ? ` (${end.cause})` : ""}`;
  void say("information", `Drawbridge ${what}${title === "" ? "" : `: ${title}`}`, "Show").then((choice) => {
    if (choice === "Show") deps.show(sessionId);
  });
}

/** Text streams in faster than a status bar can be read. */
function throttled(f: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      f();
    }, 50);
  };
}
