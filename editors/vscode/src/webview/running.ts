/**
 * The commands that run without a call that waits for them, and the subagents
 * that work so, above the prompt box: how many there are, and unfolded each with
 * what can be done with it. A command of the foreground has its card; it is
 * listed with the others only.
 */
import { Keyed, button, el, freshId, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { CommandButtons } from "./commandbuttons.ts";
import { post } from "./host.ts";
import { setSeen } from "./seen.ts";
import { count, elapsed, sentence } from "./words.ts";
import type { Scene } from "./scene.ts";
import type { Conversation, TerminalInfo } from "../model/conversation.ts";
import { runningCommands, runsAlone, standingWords } from "../model/running.ts";
import { stateWords, worksAlone } from "../model/subagents.ts";
import { firstLine, visible } from "../model/visible.ts";
import type { Subagent } from "../protocol.gen.ts";

export class RunningList {
  readonly element = el("section", { class: "running", hidden: true, attrs: { "aria-label": "Running commands" } });
  readonly #list = el("div", { class: "running-list", hidden: true, attrs: { id: freshId("running") } });
  readonly #chevron = icon("chevron-right");
  readonly #words = el("span", { class: "running-words" });
  readonly #toggle: HTMLButtonElement;
  readonly #rows: Keyed<Running>;
  readonly #agents: Keyed<Working>;

  /** Show brings the card of a subagent to the eye. */
  constructor(changed: () => void, show: (subagent: Subagent) => void) {
    this.#toggle = el(
      "button",
      { class: "running-toggle", attrs: { type: "button", "aria-expanded": "false", "aria-controls": this.#list.id } },
      this.#chevron,
      icon("server-process"),
      this.#words,
    );
    this.#toggle.addEventListener("click", () => {
      this.#open(this.#list.hidden);
      changed();
    });
    const commands = el("ul", { class: "running-part" });
    const agents = el("ul", { class: "running-part" });
    this.#rows = new Keyed(commands, () => new RunningRow());
    this.#agents = new Keyed(agents, (working) => new AgentRow(working, show));
    this.#list.append(agents, commands);
    this.element.append(this.#toggle, this.#list);
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  update({ conversation, children }: Scene): void {
    const all = conversation ? [conversation, ...Object.values(children)] : [];
    const running = all.flatMap(commandsOf);
    const agents = Object.values(conversation?.subagents ?? {}).filter(worksAlone);
    const isShown = agents.length > 0 || running.some(({ terminal }) => runsAlone(terminal));
    if (!isShown) this.#open(false);
    setHidden(this.element, !isShown);
    if (!conversation || !isShown) return;
    const words = summary(running.map(({ terminal }) => terminal), agents.length);
    setSeen(this.#words, words, "code");
    setAttr(this.#words, "title", visible(words, "code"));
    const { sessionId } = conversation.session;
    this.#rows.update(running, (r) => `${r.sessionId} ${r.terminal.terminalId}`);
    this.#agents.update(agents.map((subagent) => ({ sessionId, subagent })), ({ subagent }) => subagent.sessionId);
  }

  #open(isOpen: boolean): void {
    setHidden(this.#list, !isOpen);
    setAttr(this.#toggle, "aria-expanded", String(isOpen));
    setIcon(this.#chevron, isOpen ? "chevron-down" : "chevron-right");
  }
}

interface Running {
  readonly sessionId: string;
  readonly terminal: TerminalInfo;
}

function commandsOf(conversation: Conversation): Running[] {
  return runningCommands(conversation).map((terminal) => ({ sessionId: conversation.session.sessionId, terminal }));
}

interface Working {
  readonly sessionId: string;
  readonly subagent: Subagent;
}

class AgentRow implements Shown<Working> {
  readonly element = el("li", { class: "running-row agent" });
  readonly #time = el("span", { class: "running-time" });
  readonly #standing = el("p", { class: "running-standing" });
  #value: Working;

  constructor(value: Working, show: (subagent: Subagent) => void) {
    this.#value = value;
    const title = el("span", { class: "running-title" });
    setSeen(title, firstLine(value.subagent.title) || value.subagent.subagentId);
    setAttr(title, "title", visible(value.subagent.title));
    const buttons = [
      button({ label: "Show subagent", icon: "hubot", look: "link" }, () => show(this.#value.subagent)),
      button({ label: "Stop subagent", icon: "debug-stop", look: "link", title: "End the subagent and its commands" }, () =>
        post({ kind: "stopSubagent", sessionId: this.#value.sessionId, subagentId: this.#value.subagent.subagentId })),
    ];
    this.element.append(el("div", { class: "running-head" }, title, this.#time), this.#standing, el("div", { class: "running-buttons" }, ...buttons));
  }

  update(value: Working): void {
    this.#value = value;
    const { subagent } = value;
    setText(this.#time, elapsed(Date.now() - subagent.since));
    setText(this.#standing, `${subagent.subagentId} · ${stateWords[subagent.state].word.toLowerCase()}`);
    this.element.classList.toggle("waits", subagent.state === "waiting");
  }
}

class RunningRow implements Shown<Running> {
  readonly element = el("li", { class: "running-row" });
  readonly #title = el("span", { class: "running-title" });
  readonly #time = el("span", { class: "running-time" });
  readonly #standing = el("p", { class: "running-standing" });
  readonly #buttons: CommandButtons;
  #value: Running | undefined;

  constructor() {
    this.#buttons = new CommandButtons(() => this.#value && { sessionId: this.#value.sessionId, terminalId: this.#value.terminal.terminalId });
    this.element.append(
      el("div", { class: "running-head" }, this.#title, this.#time),
      this.#standing,
      el("div", { class: "running-buttons" }, ...this.#buttons.elements),
    );
  }

  update(value: Running): void {
    this.#value = value;
    const { terminal } = value;
    setSeen(this.#title, firstLine(terminal.title), "code");
    setAttr(this.#title, "title", visible(terminal.title, "code"));
    setText(this.#time, terminal.startedAt === undefined ? "" : elapsed(Date.now() - terminal.startedAt));
    setSeen(this.#standing, sentence(standingWords(terminal) || "runs"), "code");
    this.element.classList.toggle("waits", terminal.waiting === true);
    this.#buttons.update(terminal);
  }
}

function summary(running: readonly TerminalInfo[], agents: number): string {
  const commands = running.length === 0 ? "" : commandWords(running);
  const working = agents === 0 ? "" : `${count(agents, "subagent")} ${agents === 1 ? "works" : "work"}`;
  return [working, commands].filter(Boolean).join(" · ");
}

function commandWords(running: readonly TerminalInfo[]): string {
  const [only] = running;
  if (running.length === 1 && only) return `${only.waiting ? "Waits for typing" : "Runs"}: ${firstLine(only.title)}`;
  const waiting = running.filter((terminal) => terminal.waiting).length;
  const what = `${count(running.length, "command")} run`;
  return waiting === 0 ? what : `${what} · ${waiting} ${waiting === 1 ? "waits" : "wait"} for typing`;
}
