/**
 * The commands that run without a call that waits for them, above the prompt
 * box: how many there are, and unfolded each with what can be done with it. A
 * command of the foreground has its card; it is listed with the others only.
 */
import { Keyed, el, freshId, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { CommandButtons } from "./commandbuttons.ts";
import { setSeen } from "./seen.ts";
import { count, elapsed, sentence } from "./words.ts";
import type { Scene } from "./scene.ts";
import type { TerminalInfo } from "../model/conversation.ts";
import { runningCommands, runsAlone, standingWords } from "../model/running.ts";
import { firstLine, visible } from "../model/visible.ts";

export class RunningList {
  readonly element = el("section", { class: "running", hidden: true, attrs: { "aria-label": "Running commands" } });
  readonly #list = el("ul", { class: "running-list", hidden: true, attrs: { id: freshId("running") } });
  readonly #chevron = icon("chevron-right");
  readonly #words = el("span", { class: "running-words" });
  readonly #toggle: HTMLButtonElement;
  readonly #rows: Keyed<Running>;

  constructor(changed: () => void) {
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
    this.#rows = new Keyed(this.#list, () => new RunningRow());
    this.element.append(this.#toggle, this.#list);
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  update({ conversation }: Scene): void {
    const running = conversation ? runningCommands(conversation) : [];
    const isShown = running.some(runsAlone);
    if (!isShown) this.#open(false);
    setHidden(this.element, !isShown);
    if (!conversation || !isShown) return;
    const words = summary(running);
    setSeen(this.#words, words, "code");
    setAttr(this.#words, "title", visible(words, "code"));
    const { sessionId } = conversation.session;
    this.#rows.update(running.map((terminal) => ({ sessionId, terminal })), (r) => `${r.sessionId} ${r.terminal.terminalId}`);
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

function summary(running: readonly TerminalInfo[]): string {
  const [only] = running;
  if (running.length === 1 && only) return `${only.waiting ? "Waits for typing" : "Runs"}: ${firstLine(only.title)}`;
  const waiting = running.filter((terminal) => terminal.waiting).length;
  const what = `${count(running.length, "command")} run`;
  return waiting === 0 ? what : `${what} · ${waiting} ${waiting === 1 ? "waits" : "wait"} for typing`;
}
