/** The mentions that go along with a prompt, each removable by mouse and by keyboard. */
import { Keyed, button, el, icon } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { mentionLabel, sameMention } from "./mention.ts";
import { seen } from "./seen.ts";
import type { Mention } from "../conversation/messages.ts";
import { visible } from "../model/visible.ts";

export class Chips {
  readonly element = el("ul", { class: "chips", hidden: true, attrs: { "aria-label": "Sent along" } });
  readonly #changed: () => void;
  readonly #leave: () => void;
  readonly #list: Keyed<Mention>;
  #mentions: readonly Mention[] = [];

  /** Leave gives the keyboard back to the text. */
  constructor(changed: () => void, leave: () => void) {
    this.#changed = changed;
    this.#leave = leave;
    this.#list = new Keyed(this.element, (mention) => chip(mention, () => this.#remove(mention)));
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  get mentions(): readonly Mention[] {
    return this.#mentions;
  }

  add(mention: Mention): void {
    if (this.#mentions.some((other) => sameMention(other, mention))) return;
    this.set([...this.#mentions, mention]);
    this.#changed();
  }

  set(mentions: readonly Mention[]): void {
    this.#mentions = mentions;
    this.#list.update(mentions, (m) => `${m.kind} ${m.uri} ${mentionLabel(m)}`);
    this.element.hidden = mentions.length === 0;
  }

  /** False when there is none. */
  focusLast(): boolean {
    const last = this.#names().at(-1);
    last?.focus();
    return last !== undefined;
  }

  #names(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(".chip-name")];
  }

  #remove(mention: Mention): void {
    const at = this.#mentions.indexOf(mention);
    const hadKeyboard = this.element.contains(document.activeElement);
    this.set(this.#mentions.filter((other) => other !== mention));
    this.#changed();
    if (!hadKeyboard) return;
    const names = this.#names();
    const next = names[Math.min(at, names.length - 1)];
    if (next) next.focus();
    else this.#leave();
  }

  #key(event: KeyboardEvent): void {
    const chipOf = event.target instanceof Element ? event.target.closest(".chip") : null;
    const at = chipOf ? [...this.element.children].indexOf(chipOf) : -1;
    const mention = this.#mentions[at];
    if (!mention) return;
    const names = this.#names();
    if (event.key === "Delete" || event.key === "Backspace") this.#remove(mention);
    else if (event.key === "ArrowLeft") names[Math.max(0, at - 1)]?.focus();
    else if (event.key === "ArrowRight" && at < names.length - 1) names[at + 1]?.focus();
    else if (event.key === "ArrowRight" || event.key === "ArrowDown" || event.key === "Escape") this.#leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function chip(mention: Mention, remove: () => void): Shown<Mention> {
  const shown = mentionLabel(mention);
  const label = visible(shown);
  const line = mention.kind === "selection" ? mention.startLine - 1 : undefined;
  const name = el(
    "button",
    { class: "chip-name", title: `${label} (Delete removes it)`, attrs: { type: "button" } },
    icon(mention.kind === "file" ? "file" : "list-selection"),
    el("span", {}, ...seen(shown)),
  );
  name.addEventListener("click", () => post({ kind: "open", uri: mention.uri, ...(line !== undefined && { line }) }));
  const drop = button(
    { label: `Remove ${label}`, icon: "close", look: "icon", class: "chip-remove", attrs: { tabindex: "-1" } },
    remove,
  );
  return { element: el("li", { class: "chip" }, name, drop), update: () => undefined };
}
