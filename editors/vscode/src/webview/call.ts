/** A tool call: one line that says what and how it stands, what belongs to it folded away, and its questions open. */
import { CommandButtons } from "./commandbuttons.ts";
import { Keyed, button, el, freshId, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { HunksView } from "./hunks.ts";
import { post } from "./host.ts";
import { PicturesView } from "./pictures.ts";
import { QuestionView } from "./question.ts";
import { questions, questionsOf, subagentsIn, within } from "./scene.ts";
import { seen, setSeen } from "./seen.ts";
import type { Asked } from "./question.ts";
import type { Nest } from "./rowviews.ts";
import type { Scene } from "./scene.ts";
import { SubagentView } from "./subagent.ts";
import type { SubagentShown } from "./subagent.ts";
import { accessIcons, callState, callTime, changeWord, decisionLine, sentence, whyLine } from "./words.ts";
import type { CallItem, TerminalInfo } from "../model/conversation.ts";
import { standingWords } from "../model/running.ts";
import { plain } from "../model/tail.ts";
import { firstLine, linesWord, visible } from "../model/visible.ts";
import type { Rule } from "../model/visible.ts";
import type { Verdict } from "../conversation/messages.ts";
import type { ChangeUpdated, Exit } from "../protocol.gen.ts";

export interface CallShown {
  readonly call: CallItem;
  readonly scene: Scene;
  readonly answered: () => void;
  /** Makes the rows of a subagent in an element. */
  readonly nest: (into: HTMLElement) => Nest;
}

/** Longer texts are shown from their end on demand. */
const mostText = 20_000;

export class CallView implements Shown<CallShown> {
  readonly element = el("article", { class: "call" });
  readonly #head: Head;
  readonly #links = el("div", { class: "call-links" });
  readonly #openDiff: HTMLButtonElement;
  readonly #command: CommandButtons;
  readonly #exit = el("span", { class: "exit" });
  readonly #change = el("span", { class: "call-change" });
  readonly #decision = el("p", { class: "call-decision" });
  readonly #why = el("p", { class: "call-why" });
  /** How its command stands when it does not simply run. */
  readonly #standing = el("p", { class: "call-standing" });
  /** What a running command said last: its prompt, when it waits for typing. */
  readonly #last = el("p", { class: "call-last" });
  readonly #body = el("div", { class: "call-body", hidden: true, attrs: { id: freshId("call") } });
  readonly #questions = el("div", { class: "call-questions" });
  readonly #asked: Keyed<Asked>;
  readonly #pictures = new PicturesView();
  readonly #subagents = el("div", { class: "subagents" });
  readonly #nested: Keyed<SubagentShown>;
  readonly #details: Details;
  #value: CallShown;

  constructor(value: CallShown) {
    this.#value = value;
    const { call } = value;
    this.#head = new Head(call, this.#body.id, () => this.#toggle());
    this.#openDiff = button({ label: "Open diff", icon: "diff", look: "link" }, () => {
      const { call: { changeId }, scene } = this.#value;
      const sessionId = scene.conversation?.session.sessionId;
      if (changeId && sessionId !== undefined) post({ kind: "openChange", sessionId, changeId });
    });
    this.#command = new CommandButtons(() => {
      const { call: { terminalId }, scene } = this.#value;
      const sessionId = scene.conversation?.session.sessionId;
      return sessionId !== undefined && terminalId !== undefined ? { sessionId, terminalId } : undefined;
    });
    this.#links.append(this.#openDiff, ...this.#command.elements, this.#exit, this.#change);
    this.#details = new Details(this.#body);
    this.#asked = new Keyed(this.#questions, (asked) => new QuestionView(asked));
    this.#nested = new Keyed(this.#subagents, (shown) => new SubagentView(shown));
    setAttr(this.element, "data-access", call.access);
    this.element.append(
      this.#head.element, this.#decision, this.#why, this.#last, this.#standing, this.#links, this.#pictures.element,
      this.#body, this.#questions, this.#subagents,
    );
  }

  update(value: CallShown): void {
    this.#value = value;
    const { call, scene } = value;
    const own = questionsOf(scene, call.callId);
    const open = own.length > 0 ? questions(scene) : [];
    const subagents = subagentsIn(scene, call.callId);
    const asks = own.length > 0 || subagents.some(({ sessionId }) => (within(scene, sessionId)?.conversation?.approvals.length ?? 0) > 0);
    const change = call.changeId === undefined ? undefined : scene.conversation?.changes[call.changeId];
    const terminal = call.terminalId === undefined ? undefined : scene.conversation?.terminals[call.terminalId];
    this.#head.update(call, asks, terminal);
    setAttr(this.element, "data-status", asks ? "asks" : call.status);
    setSeen(this.#decision, own.length === 0 ? decisionLine(call) : "");
    setSeen(this.#why, whyLine(call));
    const standing = terminal && !terminal.over ? sentence(standingWords(terminal)) : "";
    setSeen(this.#standing, standing, "code");
    setAttr(this.element, "data-waits", terminal?.waiting ? "true" : null);
    const last = terminal?.over ? "" : (terminal?.lastLine ?? "");
    setSeen(this.#last, last);
    setAttr(this.#last, "title", visible(last) || null);
    this.#updateLinks(own.length > 0, change, terminal);
    this.#pictures.update({ sessionId: scene.conversation?.session.sessionId ?? "", call });
    this.#nested.update(
      subagents.map((subagent) => ({ subagent, scene, answered: value.answered, nest: value.nest })),
      ({ subagent }) => subagent.sessionId,
    );
    this.#asked.update(
      (scene.whole ? [] : own).map((question) => ({
        question,
        scene,
        place: open.indexOf(question) + 1,
        of: open.length,
        answered: value.answered,
      })),
      ({ question }) => `${question.approvalId} ${question.digest}`,
    );
    if (!this.#body.hidden) this.#details.update(call, change, terminal);
  }

  #updateLinks(asks: boolean, change: ChangeUpdated | undefined, terminal: TerminalInfo | undefined): void {
    const { call } = this.#value;
    setHidden(this.#openDiff, asks || call.changeId === undefined);
    this.#command.update(terminal);
    const exit = terminal?.over ? terminal.exit : undefined;
    setText(this.#exit, exit ? exitWord(exit) : "");
    this.#exit.classList.toggle("bad", exit !== undefined && exit.code !== 0);
    setText(this.#change, change && !asks ? changeWord(change) : "");
    setHidden(
      this.#links,
      [...this.#links.children].every((child) => (child as HTMLElement).hidden || child.textContent === ""),
    );
  }

  #toggle(): void {
    const isOpen = this.#body.hidden;
    setHidden(this.#body, !isOpen);
    this.#head.setOpen(isOpen);
    if (isOpen) this.update(this.#value);
  }
}

class Head {
  readonly element: HTMLElement;
  readonly #toggle: HTMLButtonElement;
  readonly #chevron = icon("chevron-right");
  readonly #title = el("span", { class: "call-title" });
  readonly #lines = el("span", { class: "call-lines" });
  readonly #stateIcon = icon("loading");
  readonly #stateWord = el("span", { class: "call-state" });
  readonly #time = el("span", { class: "call-time" });

  constructor(call: CallItem, bodyId: string, press: () => void) {
    this.#toggle = el(
      "button",
      {
        class: "call-toggle",
        attrs: { type: "button", "aria-expanded": "false", "aria-controls": bodyId },
        on: { click: press },
      },
      this.#chevron,
      icon(accessIcons[call.access]),
      this.#title,
      this.#lines,
      el("span", { class: "call-end" }, this.#stateIcon, this.#stateWord, this.#time),
    );
    this.element = el("h3", { class: "call-head" }, this.#toggle);
  }

  update(call: CallItem, asks: boolean, terminal: TerminalInfo | undefined): void {
    const state = callState(call, asks, terminal);
    const rule = ruleOf(call);
    setSeen(this.#title, firstLine(call.title), rule);
    setText(this.#lines, linesWord(call.title));
    const tooltip = visible(call.title, rule);
    if (this.#toggle.title !== tooltip) this.#toggle.title = tooltip;
    setIcon(this.#stateIcon, state.icon === "loading" ? "loading codicon-modifier-spin" : state.icon);
    setText(this.#stateWord, state.word);
    setText(this.#time, asks ? "" : callTime(call, Date.now()));
  }

  setOpen(isOpen: boolean): void {
    setAttr(this.#toggle, "aria-expanded", String(isOpen));
    setIcon(this.#chevron, isOpen ? "chevron-down" : "chevron-right");
  }
}

/** Input and output of a call, made when they are unfolded first. */
class Details {
  readonly #input = el("div", { class: "call-input" });
  readonly #output = el("div", { class: "call-output" });
  readonly #hunks: HunksView;
  readonly #all: HTMLButtonElement;
  #change: ChangeUpdated | undefined;
  #drawn = "";
  #shownAll = false;

  constructor(body: HTMLElement) {
    const resolve = (hunks: readonly string[] | "all", verdict: Verdict): void => {
      if (!this.#change) return;
      const { sessionId, changeId } = this.#change;
      post({ kind: "resolve", sessionId, changeId, hunks, verdict });
    };
    this.#hunks = new HunksView({
      mark: () => undefined, keep: (hunkId) => resolve([hunkId], "accept"), takeBack: (hunkId) => resolve([hunkId], "reject"),
    });
    this.#all = button({ label: "Take back all", icon: "discard" }, () => resolve("all", "reject"));
    body.append(this.#input, el("div", { class: "call-hunks" }, this.#hunks.element, this.#all), this.#output);
  }

  update(call: CallItem, change: ChangeUpdated | undefined, terminal: TerminalInfo | undefined): void {
    const tail = terminal?.tail === undefined ? "" : plain(terminal.tail);
    const drawn = `${call.status} ${call.text.length} ${tail.length} ${String(this.#shownAll)}`;
    if (drawn !== this.#drawn) this.#draw(call, change, tail);
    this.#drawn = drawn;
    this.#change = change;
    const isThere = change?.state === "applied" || change?.state === "partly";
    const choice = isThere && !change.gone ? "applied" : "none";
    this.#hunks.update({ hunks: change?.hunks ?? [], choice, marks: {}, disabled: false });
    setHidden(this.#hunks.element, !change);
    setHidden(this.#all, choice === "none" || change?.hunks.filter(({ state }) => state === "applied" || state === "kept").length === 1);
  }

  #draw(call: CallItem, change: ChangeUpdated | undefined, tail: string): void {
    if (this.#drawn === "" && call.args && !change) {
      this.#input.append(label(call.retitled ? "What the model asked for" : "Input"), ...Object.entries(call.args).map(([name, value]) => argument(name, value, ruleOf(call))));
    }
    this.#output.replaceChildren();
    if (tail) this.#output.append(label("End of the output"), this.#text(tail));
    if (call.text) this.#output.append(label("Output"), this.#text(call.text));
    if (!call.text && !tail && call.status !== "running")
      this.#output.append(el("p", { class: "muted", text: "No output" }));
  }

  #text(text: string): HTMLElement {
    const rest = this.#shownAll ? 0 : text.length - mostText;
    const shown = el("pre", { class: "text", attrs: { tabindex: "0" } }, ...seen(rest > 0 ? text.slice(0, mostText) : text));
    if (rest <= 0) return shown;
    const more = button(
      { label: `Show ${rest.toLocaleString("en-US")} more characters`, look: "link", class: "more" },
      () => {
        this.#shownAll = true;
        setSeen(shown, text);
        more.remove();
        shown.focus();
      },
    );
    return el("div", {}, shown, more);
  }
}

function exitWord(exit: Exit): string {
  return exit.code === undefined ? `Ended by ${exit.signal ?? "a signal"}` : `Exit code ${exit.code}`;
}

function label(text: string): HTMLElement {
  return el("h4", { class: "label", text });
}

/** Commands are read in the order in which they run. */
function ruleOf({ access }: CallItem): Rule {
  return access === "execute" ? "code" : "prose";
}

function argument(name: string, value: unknown, rule: Rule): HTMLElement {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const isLong = text.length > 60 || text.includes("\n");
  const shown = text.length > mostText ? `${text.slice(0, mostText)}…` : text;
  return el(
    "div",
    { class: isLong ? "argument long" : "argument" },
    el("span", { class: "argument-name" }, ...seen(name)),
    isLong ? el("pre", { class: "text", attrs: { tabindex: "0" } }, ...seen(shown, rule)) : el("code", {}, ...seen(shown, rule)),
  );
}
