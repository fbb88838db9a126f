/** What stands between the answers: reasoning, the end of a turn, separators, turns that were sent again. */
import { button, el, icon, setHidden, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { promptText } from "./mention.ts";
import { count, endLine } from "./words.ts";
import type { EndItem } from "../model/conversation.ts";
import type { StopReason } from "../protocol.gen.ts";

/** Reasoning is folded; its text is put in when it is unfolded and follows from then on. */
export class ThoughtView implements Shown<{ readonly text: string; readonly isLive: boolean }> {
  readonly element = el("details", { class: "thought" });
  readonly #summary = el("span");
  readonly #text = el("div", { class: "thought-text" });
  #value = "";

  constructor() {
    this.element.append(el("summary", {}, icon("lightbulb"), this.#summary), this.#text);
    this.element.addEventListener("toggle", () => this.#show());
  }

  update({ text, isLive }: { readonly text: string; readonly isLive: boolean }): void {
    this.#value = text;
    setText(this.#summary, isLive ? "Reasoning…" : "Reasoning");
    this.#show();
  }

  #show(): void {
    if (!this.element.open) return;
    const now = this.#text.textContent;
    if (this.#value.startsWith(now)) this.#text.append(this.#value.slice(now.length));
    else this.#text.textContent = this.#value;
    if (now !== "") this.#text.normalize();
  }
}

export interface EndShown {
  readonly end: EndItem;
  /** It is the last turn, and it can be taken up. */
  readonly canContinue: boolean;
  /** No key is known for the model's provider. */
  readonly needsKey: boolean;
  /** No turn came after it. */
  readonly isLast: boolean;
  readonly takeText: (text: string) => void;
  /** The text stands in the prompt box. */
  readonly hasText: (text: string) => boolean;
}

export class EndView implements Shown<EndShown> {
  readonly element: HTMLElement;
  readonly #buttons: HTMLElement;
  readonly #continue: HTMLButtonElement;
  readonly #key: HTMLButtonElement;
  readonly #returned: string;
  readonly #take: HTMLButtonElement;
  /** The text that came back is where it belongs, and is not put there twice. */
  #isTaken = false;

  constructor({ end, takeText }: EndShown) {
    const look = looks[end.stopReason];
    this.#continue = button({ label: look.again, icon: "debug-continue", look: "primary" }, () =>
      post({ kind: "continue" }),
    );
    this.#key = button({ label: "Set a key…", icon: "key" }, () => post({ kind: "setKey" }));
    this.#buttons = el("div", { class: "end-buttons" }, this.#continue, this.#key);
    this.element = el("section", { class: `end ${look.class}`, attrs: { "aria-label": "End of the turn" } });
    if (end.stopReason !== "endTurn") {
      this.element.append(
        el("div", { class: "end-line" }, icon(look.icon), el("span", { text: endLine(end.stopReason, end.cause) })),
      );
    }
    if (end.hint) this.element.append(el("p", { class: "hint", text: end.hint }));
    this.#returned = promptText(end.returned ?? []);
    this.#take = button({ label: "Put it into the prompt", icon: "reply", look: "link" }, () => {
      takeText(this.#returned);
      this.#isTaken = true;
      setHidden(this.#take, true);
    });
    if (end.returned) this.element.append(returned(this.#returned, this.#take));
    this.element.append(this.#buttons);
  }

  update({ canContinue, needsKey, isLast, hasText }: EndShown): void {
    this.#isTaken ||= !isLast || hasText(this.#returned);
    setHidden(this.#take, this.#isTaken);
    setHidden(this.#continue, !canContinue);
    setHidden(this.#key, !needsKey);
    setHidden(this.#buttons, !canContinue && !needsKey);
  }
}

export function separator(text: string): HTMLElement {
  return el("div", { class: "separator", attrs: { role: "separator", "aria-label": text } }, el("span", { text }));
}

/** Turns that another prompt took the place of. Draw fills it when it is unfolded. */
export class ReplacedView implements Shown<{ readonly size: number }> {
  readonly element = el("details", { class: "replaced" });
  readonly #summary = el("span");

  constructor(draw: (into: HTMLElement) => void) {
    const inside = el("div", { class: "replaced-items" });
    this.element.append(el("summary", {}, icon("history"), this.#summary), inside);
    this.element.addEventListener("toggle", () => this.element.open && inside.childElementCount === 0 && draw(inside));
  }

  update({ size }: { readonly size: number }): void {
    setText(this.#summary, `Replaced by the prompt below (${count(size, "item")})`);
  }
}

const looks: { readonly [R in StopReason]: { readonly icon: string; readonly class: string; readonly again: string } } =
  {
    endTurn: { icon: "check", class: "", again: "Continue" },
    maxTokens: { icon: "info", class: "", again: "Continue" },
    maxSteps: { icon: "info", class: "", again: "Continue" },
    refusal: { icon: "circle-slash", class: "", again: "Continue" },
    cancelled: { icon: "debug-stop", class: "", again: "Continue" },
    interrupted: { icon: "debug-disconnect", class: "", again: "Continue" },
    error: { icon: "error", class: "bad", again: "Try again" },
  };

function returned(text: string, take: HTMLElement): HTMLElement {
  return el(
    "div",
    { class: "returned" },
    el("p", { text: "The turn ended before the model read what you added:" }),
    el("blockquote", { text }),
    take,
  );
}
