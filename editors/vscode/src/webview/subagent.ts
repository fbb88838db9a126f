/**
 * A subagent within the card of the call that started it: how it stands, what
 * it does, folded or not, and its questions, which are seen either way.
 */
import { Keyed, button, el, freshId, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { QuestionView } from "./question.ts";
import type { Asked } from "./question.ts";
import type { Nest } from "./rowviews.ts";
import { questions, within } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { seen, setSeen } from "./seen.ts";
import { elapsed } from "./words.ts";
import type { Conversation } from "../model/conversation.ts";
import { modelName } from "../model/models.ts";
import { isAtWork, stateWords, subagentName } from "../model/subagents.ts";
import { firstLine, visible } from "../model/visible.ts";
import type { Subagent } from "../protocol.gen.ts";

export interface SubagentShown {
  readonly subagent: Subagent;
  /** The scene that it is part of. */
  readonly scene: Scene;
  readonly answered: () => void;
  readonly nest: (into: HTMLElement) => Nest;
}

export class SubagentView implements Shown<SubagentShown> {
  readonly element = el("section", { class: "subagent", attrs: { tabindex: "-1" } });
  readonly #body = el("div", { class: "subagent-body", hidden: true, attrs: { id: freshId("subagent") } });
  readonly #head: Head;
  readonly #about = el("p", { class: "subagent-about" });
  /** What it does now, while its rows are folded. */
  readonly #now = el("p", { class: "subagent-now" });
  readonly #stop: HTMLButtonElement;
  readonly #load: HTMLButtonElement;
  readonly #links: HTMLElement;
  readonly #earlier: HTMLButtonElement;
  readonly #rows: Nest;
  readonly #asked: Keyed<Asked>;
  readonly #questions = el("div", { class: "call-questions" });
  #showsAll = false;
  #value: SubagentShown;

  constructor(value: SubagentShown) {
    this.#value = value;
    this.#head = new Head(value.subagent, this.#body.id, () => this.#open(this.#body.hidden));
    this.#stop = button({ label: "Stop subagent", icon: "debug-stop", look: "link", title: "End the subagent and its commands; the turn goes on" }, () => this.#post("stopSubagent"));
    this.#load = button({ label: "Show its conversation", icon: "comment-discussion", look: "link" }, () => this.#post("loadChild"));
    this.#links = el("div", { class: "call-links" }, this.#stop, this.#load);
    this.#earlier = button({ label: "Show all of it", look: "link", class: "more" }, () => {
      this.#showsAll = true;
      this.update(this.#value);
    });
    const rows = el("div", { class: "rows" });
    this.#rows = value.nest(rows);
    this.#body.append(this.#earlier, rows);
    this.#asked = new Keyed(this.#questions, (asked) => new QuestionView(asked));
    setAttr(this.element, "data-session", value.subagent.sessionId);
    setAttr(this.element, "aria-label", `Subagent ${visible(subagentName(value.subagent))}`);
    this.element.append(this.#head.element, this.#about, this.#now, this.#links, this.#body, this.#questions);
    if (isAtWork(value.subagent) && within(value.scene, value.subagent.sessionId)) this.#open(true);
  }

  update(value: SubagentShown): void {
    this.#value = value;
    const { subagent } = value;
    const scene = within(value.scene, subagent.sessionId);
    const isFolded = this.#body.hidden;
    const asks = (scene?.conversation?.approvals.length ?? 0) > 0;
    this.#head.update(subagent, asks);
    setAttr(this.element, "data-state", asks ? "waiting" : subagent.state);
    setSeen(this.#about, aboutWords(subagent));
    setSeen(this.#now, isFolded && isAtWork(subagent) ? doing(scene?.conversation ?? undefined) : "");
    setHidden(this.#stop, subagent.state === "ended");
    setHidden(this.#load, scene !== undefined);
    setHidden(this.#links, this.#stop.hidden && this.#load.hidden);
    if (!isFolded && scene) setHidden(this.#earlier, this.#rows.update(scene, this.#showsAll) === 0);
    this.#ask(scene, value);
  }

  #ask(scene: Scene | undefined, { answered }: SubagentShown): void {
    const own = scene?.conversation?.approvals ?? [];
    const open = scene && own.length > 0 ? questions(scene) : [];
    this.#asked.update(
      own.map((question) => ({
        question, scene: scene as Scene, place: open.indexOf(question) + 1, of: open.length, answered,
      })),
      ({ question }) => `${question.approvalId} ${question.digest}`,
    );
  }

  #post(kind: "stopSubagent" | "loadChild"): void {
    const { subagent: { subagentId, sessionId }, scene } = this.#value;
    if (kind === "loadChild") {
      this.#open(true);
      return post({ kind, sessionId });
    }
    const parent = scene.conversation?.session.sessionId;
    if (parent !== undefined) post({ kind, sessionId: parent, subagentId });
  }

  #open(isOpen: boolean): void {
    setHidden(this.#body, !isOpen);
    this.#head.setOpen(isOpen);
    this.update(this.#value);
  }
}

class Head {
  readonly element: HTMLElement;
  readonly #toggle: HTMLButtonElement;
  readonly #chevron = icon("chevron-right");
  readonly #icon = icon("loading");
  readonly #word = el("span", { class: "call-state" });
  readonly #time = el("span", { class: "call-time" });

  constructor({ subagentId, title }: Subagent, bodyId: string, press: () => void) {
    this.#toggle = el(
      "button",
      { class: "call-toggle", title: visible(title), attrs: { type: "button", "aria-expanded": "false", "aria-controls": bodyId }, on: { click: press } },
      this.#chevron,
      icon("hubot"),
      el("span", { class: "call-title" }, ...seen(firstLine(title) || subagentId)),
      el("span", { class: "call-end" }, this.#icon, this.#word, this.#time),
    );
    this.element = el("div", { class: "subagent-head" }, this.#toggle);
  }

  update(subagent: Subagent, asks: boolean): void {
    const look = stateWords[asks ? "waiting" : subagent.state];
    setIcon(this.#icon, look.icon === "loading" ? "loading codicon-modifier-spin" : look.icon);
    setText(this.#word, look.word);
    setText(this.#time, subagent.state === "running" && !asks ? elapsed(Date.now() - subagent.since) : "");
  }

  setOpen(isOpen: boolean): void {
    setAttr(this.#toggle, "aria-expanded", String(isOpen));
    setIcon(this.#chevron, isOpen ? "chevron-down" : "chevron-right");
  }
}

/** "subagent-1a2b3c4d · gpt-5 · in the background". */
function aboutWords({ subagentId, model, background, detail = "", state }: Subagent): string {
  return [subagentId, modelName(model), background && state !== "ended" ? "in the background" : "", detail].filter(Boolean).join(" · ");
}

/** Its last call, or the last line that it said. */
function doing(conversation: Conversation | undefined): string {
  const last = conversation?.items.findLast(({ kind }) => kind === "call" || kind === "message");
  if (last?.kind === "call") return firstLine(last.title);
  return last?.kind === "message" ? (last.text.trimEnd().split("\n").at(-1) ?? "") : "";
}
