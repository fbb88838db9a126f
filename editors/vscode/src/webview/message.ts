/** An answer of the model. While it streams only its end is rendered again; what stands before that stays. */
import { el } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { blocks } from "./markdown.ts";
import type { Env } from "markdown-it";
import { sanitize } from "./sanitize.ts";

export class MessageView implements Shown<{ readonly text: string }> {
  readonly element = el("div", { class: "message markdown" });
  #text = "";
  /** Everything before this place of the source is rendered for good. */
  #settled = 0;
  /** How many children the settled part has. */
  #kept = 0;
  #env: Env = {};

  update({ text }: { readonly text: string }): void {
    if (text === this.#text) return;
    if (!text.startsWith(this.#text) || this.#definesLinks(text)) this.#restart();
    this.#text = text;
    this.#renderFrom(text);
  }

  #renderFrom(text: string): void {
    const children = this.element.children;
    while (children.length > this.#kept) children[children.length - 1]?.remove();
    const fresh = blocks(text.slice(this.#settled), this.#env);
    for (const block of fresh) this.element.append(el("div", { class: "block" }, sanitize(block.html)));
    const open = fresh.findLastIndex((block) => block.firm);
    if (open < 1) return;
    this.#settled += fresh[open]?.start ?? 0;
    this.#kept += open;
  }

  /** A definition that arrives late makes links of what was rendered before it. */
  #definesLinks(text: string): boolean {
    return (
      this.#settled > 0 && /^\s{0,3}\[[^\]\n]+\]:/m.test(text.slice(Math.max(this.#settled, this.#text.length - 200)))
    );
  }

  #restart(): void {
    this.element.replaceChildren();
    this.#settled = 0;
    this.#kept = 0;
    this.#env = {};
  }
}

/** Copies the code of the block whose button was pressed; false when it was another place. */
export function copyCode(target: EventTarget | null, told: (text: string) => void): boolean {
  const pressed = target instanceof Element ? target.closest(".copy") : null;
  const code = pressed?.closest(".code")?.querySelector("code")?.textContent;
  const mark = pressed?.querySelector(".codicon");
  if (!pressed || code === undefined || code === null) return false;
  void navigator.clipboard.writeText(code).then(
    () => {
      told("Copied");
      if (!mark) return;
      mark.className = "codicon codicon-check";
      setTimeout(() => (mark.className = "codicon codicon-copy"), 1500);
    },
    () => told("The code could not be copied"),
  );
  return true;
}
