/**
 * Each command of the agent has a terminal in the editor. The bridge owns the
 * command; here is only its view: bytes as they come, typing, size, and an end.
 */
import * as vscode from "vscode";
import type { Link } from "./bridge/link.ts";
import { toBridgeError } from "./bridge/link.ts";
import type { EventName, TerminalInfo } from "./model/conversation.ts";
import type { Sessions } from "./model/sessions.ts";
import type { Exit, NotificationsToEditor, StateChanged, Terminal, TerminalClosed, TerminalOpened, TerminalOutput } from "./protocol.gen.ts";
import { Feed, dim } from "./terminals/feed.ts";
import { CommandPty } from "./terminals/pty.ts";
import { Typing } from "./terminals/typing.ts";
import { exitWords, terminalName } from "./terminals/words.ts";

export interface TerminalDeps {
  readonly link: Link;
  readonly sessions: Sessions;
}

export interface Terminals {
  /** Brings the terminal of a command of the shown session to the front; one that is closed is opened anew. */
  show(terminalId: string): void;
}

export function activateTerminals(context: vscode.ExtensionContext, deps: TerminalDeps): Terminals {
  const views = new Views(deps);
  context.subscriptions.push(views);
  return { show: (terminalId) => void views.show(terminalId) };
}

/** How many ended commands keep their terminals. */
const maxEnded = 10;

type Opened = Pick<TerminalInfo, "terminalId" | "callId" | "title">;

interface View {
  readonly key: string;
  readonly callId: string;
  readonly terminal: vscode.Terminal;
  readonly feed: Feed;
  running: boolean;
}

class Views implements vscode.Disposable {
  readonly #deps: TerminalDeps;
  readonly #views = new Map<string, View>();
  readonly #ended: View[] = [];
  readonly #owned: readonly { dispose(): void }[];

  constructor(deps: TerminalDeps) {
    this.#deps = deps;
    this.#owned = [
      deps.link.onEvent((method, params) => this.#event(method, params)),
      deps.link.onConnection((c) => {
        if (c.kind !== "ready") this.#cutOff();
      }),
    ];
  }

  async show(terminalId: string): Promise<void> {
    const conversation = this.#deps.sessions.current;
    const info = conversation?.terminals[terminalId];
    if (!conversation || !info) return;
    const sessionId = conversation.session.sessionId;
    const view = this.#views.get(keyOf(sessionId, terminalId)) ?? await this.#again(sessionId, info);
    view.terminal.show();
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
    for (const view of [...this.#views.values()]) view.terminal.dispose();
  }

  #event(method: EventName, params: NotificationsToEditor[EventName]["params"]): void {
    if (params.replayed) return; // ended with an earlier bridge; it is shown on demand
    const { sessionId } = params;
    switch (method) {
      case "terminal/opened": {
        const view = this.#open(sessionId, params as TerminalOpened, true);
        if (revealSetting() === "always") view.terminal.show(true);
        break;
      }
      case "terminal/output": {
        const output = params as TerminalOutput;
        this.#views.get(keyOf(sessionId, output.terminalId))?.feed.output(output);
        break;
      }
      case "terminal/closed": {
        const { terminalId, exit } = params as TerminalClosed;
        this.#views.get(keyOf(sessionId, terminalId))?.feed.close(exitWords(exit), exit);
        break;
      }
      case "state/changed":
        this.#waits(params as StateChanged);
        break;
    }
  }

  #waits({ sessionId, state, callId }: StateChanged): void {
    if (state !== "input" || !callId || revealSetting() !== "onInput") return;
    const view = [...this.#views.values()].find((v) => v.callId === callId && v.key.startsWith(`${sessionId}/`));
    view?.terminal.show(true);
  }

  #open(sessionId: string, opened: Opened, running: boolean, past: { readonly exit?: Exit; readonly tail?: string } = {}): View {
    const { terminalId, title, callId } = opened;
    const key = keyOf(sessionId, terminalId);
    const { link } = this.#deps;
    const ids = { sessionId, terminalId };
    const typing = new Typing(
      (text) => link.request("terminal/write", { ...ids, text }),
      (thrown) => {
        if (!isOver(thrown)) pty.write(dim(`not typed: ${toBridgeError(thrown).message}`));
      },
    );
    const pty = new CommandPty({
      opened: () => feed.watch(),
      typed: (text) => {
        if (view.running) typing.type(text);
      },
      resized: (cols, rows) => {
        if (view.running) void link.request("terminal/resize", { ...ids, cols, rows }).catch(ignored);
      },
      closed: () => this.#closed(view, ids),
    });
    const feed = new Feed({
      write: (data) => pty.write(data),
      ack: (offset) => link.notify("terminal/ack", { ...ids, offset }),
      read: (offset, max) => link.request("terminal/read", { ...ids, offset, max }),
      ended: (exit) => {
        pty.rename(terminalName(title, exit));
        this.#retire(view);
      },
    }, past.tail);
    const terminal = vscode.window.createTerminal({
      name: terminalName(title, past.exit), pty, iconPath: new vscode.ThemeIcon("terminal"), isTransient: true,
    });
    const view: View = { key, callId, terminal, feed, running };
    this.#views.set(key, view);
    return view;
  }

  /** A terminal that was closed, or of an earlier bridge: what is kept of its output. */
  async #again(sessionId: string, info: TerminalInfo): Promise<View> {
    const kept = await this.#kept(sessionId, info.terminalId);
    const exit: Exit | undefined = kept ? kept.exit : info.exit;
    const running = kept !== undefined && !exit;
    const tail = kept ? undefined : info.tail;
    const view = this.#open(sessionId, info, running, { ...(exit && { exit }), ...(tail !== undefined && { tail }) });
    if (kept) view.feed.output({ offset: kept.end, end: kept.end, data: "" }); // what is before it is read
    if (!running) view.feed.close(exit ? exitWords(exit) : "its end is not known", exit);
    return view;
  }

  async #kept(sessionId: string, terminalId: string): Promise<Terminal | undefined> {
    try {
      const { terminals } = await this.#deps.link.request("terminal/list", { sessionId });
      return terminals.find((t) => t.terminalId === terminalId);
    } catch {
      return undefined; // no bridge: the tail is what there is
    }
  }

  /** Closing the view of a running command ends the command; nothing runs on unseen. */
  #closed(view: View, ids: { sessionId: string; terminalId: string }): void {
    this.#views.delete(view.key);
    const at = this.#ended.indexOf(view);
    if (at >= 0) this.#ended.splice(at, 1);
    if (!view.running) return;
    view.running = false;
    void this.#deps.link.request("terminal/kill", ids).catch(ignored);
  }

  #retire(view: View): void {
    view.running = false;
    this.#ended.push(view);
    if (this.#ended.length <= maxEnded) return;
    const oldest = this.#ended.find((v) => v.terminal !== vscode.window.activeTerminal);
    oldest?.terminal.dispose();
  }

  #cutOff(): void {
    for (const view of this.#views.values()) {
      if (view.running) view.feed.close("the bridge has stopped, and the command with it");
      view.running = false;
    }
  }
}

function keyOf(sessionId: string, terminalId: string): string {
  return `${sessionId}/${terminalId}`;
}

function revealSetting(): string {
  return vscode.workspace.getConfiguration("drawbridge").get<string>("revealTerminal", "never");
}

/** The command ended while the message was under way. */
function isOver(thrown: unknown): boolean {
  const { kind } = toBridgeError(thrown);
  return kind === "closed" || kind === "unknownTerminal" || kind === "disconnected";
}

function ignored(): void {
  // The command has ended, or the bridge: there is nothing to resize or to end.
}
