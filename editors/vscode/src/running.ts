/** What a person does with commands that run: see them all, type into one, stop one; and how one says that it waits. */
import * as vscode from "vscode";
import type { Link } from "./bridge/link.ts";
import { toBridgeError } from "./bridge/link.ts";
import type { Conversation, TerminalInfo } from "./model/conversation.ts";
import { asksForSecret, isOver, standingWords, stillAsks } from "./model/running.ts";
import type { CommandName } from "./model/running.ts";
import type { Sessions } from "./model/sessions.ts";
import { isAtWork, stateWords } from "./model/subagents.ts";
import type { Subagent, SubagentParams, Terminal } from "./protocol.gen.ts";
import { ask, pick, say, tell } from "./say.ts";
import type { Entry } from "./say.ts";
import type { Terminals } from "./terminals.ts";

export interface RunningDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly terminals: Terminals;
  /** The conversation of this session can be seen. */
  readonly viewVisible: (sessionId: string) => boolean;
  readonly stopSubagent: (name: SubagentParams) => Promise<void>;
}

/** A command that was answered so fast was not waiting for a person. */
const patienceMs = 250;

export class Running implements vscode.Disposable {
  readonly #o: RunningDeps;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(o: RunningDeps) {
    this.#o = o;
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Lists what runs, in every session of this window, as the bridge knows it. */
  async pick(): Promise<void> {
    const { terminals } = await this.#o.link.request("terminal/list", {});
    const running = terminals.filter((t) => !isOver(t));
    const working = this.#o.sessions.all.flatMap((c) => Object.values(c.subagents).filter(isAtWork).map((s) => this.#agent(c, s)));
    if (running.length + working.length === 0) return tell("information", "No command of Drawbridge runs.");
    const entries = [...working, ...running.map((t) => this.#entry(t))];
    await (await pick(entries, { title: "Running commands", placeHolder: "Which command?" }))?.();
  }

  #agent({ session: { sessionId, title: of } }: Conversation, subagent: Subagent): Entry<() => Promise<void>> {
    const { subagentId, title, state } = subagent;
    const stop: Entry<() => Promise<void>> = { icon: "debug-stop", label: "Stop subagent", value: () => this.#o.stopSubagent({ sessionId, subagentId }) };
    return {
      icon: state === "waiting" ? "question" : "hubot", label: title || subagentId, description: `${subagentId} · ${stateWords[state].word.toLowerCase()}`, detail: of,
      value: async () => (await pick([stop], { title: title || subagentId, placeHolder: "What shall be done with it?" }))?.(),
    };
  }

  async stop({ sessionId, terminalId }: CommandName): Promise<void> {
    try {
      await this.#o.link.request("terminal/kill", { sessionId, terminalId });
    } catch (thrown) {
      if (!hasEnded(thrown)) throw thrown;
    }
  }

  /** Asks for a line and types it, unless the command asks something else by then. */
  async typeInto(name: CommandName): Promise<void> {
    const info = this.#info(name);
    if (!info || info.over || info.exit) return tell("information", "The command has ended: nothing can be typed into it.");
    const before = { ...info }; // it changes while the person types
    const { title, lastLine = "", pipes } = before;
    const line = await ask({
      title: `Type into ${title}`, ignoreFocusOut: true, password: asksForSecret(lastLine),
      prompt: lastLine === "" ? "It goes to the command as it is, with Enter behind it." : lastLine,
    });
    if (line === undefined) return;
    const now = this.#info(name);
    if (now && !now.over && !stillAsks(before, now)) {
      return tell("warning", `Not typed: ${title} says something else by now${now.lastLine ? `: ${now.lastLine}` : ""}`);
    }
    await this.#write(name, `${line}${pipes ? "\n" : "\r"}`);
  }

  /** Says that a command waits, when neither its terminal nor its card can be seen. */
  waits(name: CommandName): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#info(name)?.waiting && this.#isWanted(name)) void this.#tellWaits(name).catch(ignored);
    }, patienceMs);
    this.#timers.add(timer);
  }

  #isWanted(name: CommandName): boolean {
    if (!vscode.window.state.focused) return vscode.workspace.getConfiguration("drawbridge").get<boolean>("notify", true);
    return !this.#o.viewVisible(name.sessionId) && !this.#o.terminals.isShown(name);
  }

  async #tellWaits(name: CommandName): Promise<void> {
    const { title = "A command", lastLine = "" } = this.#info(name) ?? {};
    const text = `Drawbridge: ${title} waits for typing${lastLine === "" ? "" : `: ${lastLine}`}`;
    const choice = await say("information", text, "Show terminal", "Type…");
    if (choice === "Show terminal") await this.#o.terminals.show(name);
    else if (choice === "Type…") await this.typeInto(name);
  }

  async #write({ sessionId, terminalId }: CommandName, text: string): Promise<void> {
    try {
      await this.#o.link.request("terminal/write", { sessionId, terminalId, text });
    } catch (thrown) {
      if (!hasEnded(thrown)) throw thrown;
      tell("information", "The command has ended: nothing was typed.");
    }
  }

  #entry(t: Terminal): Entry<() => Promise<void>> {
    const session = this.#o.sessions.get(t.sessionId)?.session.title ?? "";
    const icon = t.waiting ? "keyboard" : "terminal";
    return { icon, label: t.title, description: standingWords(t) || "runs", detail: session, value: () => this.#act(t) };
  }

  async #act(t: Terminal): Promise<void> {
    const entries: Entry<() => Promise<void>>[] = [
      { icon: "terminal", label: "Show terminal", value: () => this.#o.terminals.show(t) },
      ...(t.exit ? [] : [{ icon: "keyboard", label: "Type…", value: () => this.typeInto(t) }]),
      { icon: "debug-stop", label: "Stop command", value: () => this.stop(t) },
    ];
    await (await pick(entries, { title: t.title, placeHolder: "What shall be done with it?" }))?.();
  }

  #info({ sessionId, terminalId }: CommandName): TerminalInfo | undefined {
    return this.#o.sessions.get(sessionId)?.terminals[terminalId];
  }
}

function hasEnded(thrown: unknown): boolean {
  const { kind } = toBridgeError(thrown);
  return kind === "closed" || kind === "unknownTerminal";
}

function ignored(): void {
  // A message that leads nowhere, since the command or the bridge has ended meanwhile.
}
