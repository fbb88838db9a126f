/**
 * Each command of the agent has a terminal in the editor. The bridge owns the
 * command; here is only its view: bytes as they come, typing, size, and an end.
 */
import * as vscode from "vscode";
import type { Link } from "./bridge/link.ts";
import type { EventName, TerminalInfo } from "./model/conversation.ts";
import type { CommandName } from "./model/running.ts";
import type { Sessions } from "./model/sessions.ts";
import type { NotificationsToEditor, Terminal, TerminalClosed, TerminalOpened, TerminalOutput, TerminalUpdated } from "./protocol.gen.ts";
import { CommandView } from "./terminals/view.ts";
import type { ViewOptions } from "./terminals/view.ts";
import { Waits } from "./terminals/waits.ts";

export interface TerminalDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  /** A command waits for typing, and that is worth saying. */
  readonly waits: (name: CommandName) => void;
}

export interface Terminals {
  /** Brings the terminal of a command to the front; one that is closed is opened anew. */
  show(name: CommandName): Promise<void>;
  /** It is the one that a person looks at. */
  isShown(name: CommandName): boolean;
}

export function activateTerminals(context: vscode.ExtensionContext, deps: TerminalDeps): Terminals {
  const views = new Views(deps);
  context.subscriptions.push(views);
  return views;
}

/** How many ended commands keep their terminals. */
const maxEnded = 10;

class Views implements vscode.Disposable, Terminals {
  readonly #deps: TerminalDeps;
  readonly #views = new Map<string, CommandView>();
  readonly #ended: CommandView[] = [];
  #waits = new Waits();
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

  async show(name: CommandName): Promise<void> {
    const view = this.#views.get(keyOf(name)) ?? await this.#again(name);
    view?.show("moves");
  }

  isShown(name: CommandName): boolean {
    const view = this.#views.get(keyOf(name));
    return view !== undefined && view.seen && vscode.window.activeTerminal === view.terminal; // the active one of a panel that never came up is not seen
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
        const opened = params as TerminalOpened;
        const view = this.#open({ sessionId, terminalId: opened.terminalId }, { opened, running: true });
        if (revealSetting() === "always") view.show("stays");
        break;
      }
      case "terminal/output": {
        const output = params as TerminalOutput;
        this.#views.get(keyOf(output))?.output(output);
        break;
      }
      case "terminal/updated":
        this.#updated(params as TerminalUpdated);
        break;
      case "terminal/closed": {
        const closed = params as TerminalClosed;
        this.#waits.over(keyOf(closed));
        this.#views.get(keyOf(closed))?.end(closed.exit);
        break;
      }
    }
  }

  #updated(updated: TerminalUpdated): void {
    const view = this.#views.get(keyOf(updated));
    view?.stands(updated);
    if (!this.#waits.begins(keyOf(updated), updated)) return;
    if (revealSetting() === "onInput") view?.show("stays");
    this.#deps.waits({ sessionId: updated.sessionId, terminalId: updated.terminalId });
  }

  #open(name: CommandName, o: Pick<ViewOptions, "opened" | "running" | "standing" | "tail">): CommandView {
    const view = new CommandView({
      ...o, name, link: this.#deps.link, retired: (view) => this.#retire(view), closed: (view) => this.#closed(view),
    });
    this.#views.set(keyOf(name), view);
    return view;
  }

  /** A terminal that was closed, or of an earlier bridge: what is kept of its output. */
  async #again(name: CommandName): Promise<CommandView | undefined> {
    const info: TerminalInfo | undefined = this.#deps.sessions.get(name.sessionId)?.terminals[name.terminalId];
    const kept = await this.#kept(name);
    const opened = kept ?? info;
    if (!opened) return undefined;
    const running = kept !== undefined && (!kept.exit || (kept.survivors?.length ?? 0) > 0);
    const tail = kept ? undefined : info?.tail;
    const view = this.#open(name, { opened, running, ...(running && { standing: kept }), ...(tail !== undefined && { tail }) });
    if (kept) view.output({ offset: kept.end, end: kept.end, data: "" }); // what is before it is read
    if (!running) view.end(opened.exit);
    return view;
  }

  async #kept({ sessionId, terminalId }: CommandName): Promise<Terminal | undefined> {
    try {
      const { terminals } = await this.#deps.link.request("terminal/list", { sessionId });
      return terminals.find((t) => t.terminalId === terminalId);
    } catch {
      return undefined; // no bridge: the tail is what there is
    }
  }

  /** Closing the view of a running command ends the command; nothing runs on unseen. */
  #closed(view: CommandView): void {
    const key = keyOf(view.name);
    if (this.#views.get(key) === view) this.#views.delete(key);
    const at = this.#ended.indexOf(view);
    if (at >= 0) this.#ended.splice(at, 1);
    if (!view.running) return;
    view.running = false;
    void this.#deps.link.request("terminal/kill", view.name).catch(ignored);
  }

  #retire(view: CommandView): void {
    view.running = false;
    this.#ended.push(view);
    if (this.#ended.length <= maxEnded) return;
    const oldest = this.#ended.find((v) => v.terminal !== vscode.window.activeTerminal);
    oldest?.terminal.dispose();
  }

  #cutOff(): void {
    this.#waits = new Waits();
    for (const view of this.#views.values()) {
      if (view.running) view.end(undefined, "the bridge has stopped, and the command with it");
      view.running = false;
    }
  }
}

function keyOf({ sessionId, terminalId }: CommandName): string {
  return `${sessionId}/${terminalId}`;
}

function revealSetting(): string {
  return vscode.workspace.getConfiguration("drawbridge").get<string>("revealTerminal", "never");
}

function ignored(): void {
  // The command has ended, or the bridge: there is nothing to end.
}
