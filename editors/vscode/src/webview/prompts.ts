/** What the person said: prompts, the last of which can be edited and sent again in place, and steering text. */
import { button, el, icon, setAttr, setHidden, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { Chips } from "./chips.ts";
import { post } from "./host.ts";
import { attachments, promptText, takeApart } from "./mention.ts";
import { seen } from "./seen.ts";
import { visible } from "../model/visible.ts";
import type { Block } from "../protocol.gen.ts";

export interface PromptShown {
  readonly sessionId: string;
  readonly turnId: string;
  readonly blocks: readonly Block[];
  /** It is the last one and its turn has ended. */
  readonly canResend: boolean;
  /** Something that its turn did stands in files, and no turn runs. */
  readonly canRewind: boolean;
}

/** What a subagent was told to do. No person said it. */
export class AskedView {
  readonly element: HTMLElement;

  constructor(blocks: readonly Block[]) {
    const said = saidElements(blocks);
    this.element = el("section", { class: "prompt asked", attrs: { "aria-label": "What it was asked" } }, el("div", { class: "said" }, ...said));
    setAttr(said[0] ?? this.element, "tabindex", "0"); // a long one scrolls
  }
}

export class PromptView implements Shown<PromptShown> {
  readonly element = el("section", { class: "prompt", attrs: { "aria-label": "You" } });
  readonly #said: HTMLElement;
  readonly #edit: HTMLButtonElement;
  readonly #rewind: HTMLButtonElement;
  #editor: PromptEditor | undefined;
  #value: PromptShown;

  constructor(value: PromptShown) {
    this.#value = value;
    this.#edit = button({ label: "Edit and send again", icon: "edit", look: "icon", class: "prompt-edit" }, () =>
      this.#open(),
    );
    this.#rewind = button({ label: "Rewind to before this prompt…", icon: "debug-reverse-continue", look: "icon", class: "prompt-rewind" }, () => {
      const { sessionId, turnId } = this.#value;
      post({ kind: "rewind", sessionId, turnId });
    });
    this.#said = el("div", { class: "said" }, ...saidElements(value.blocks));
    this.element.append(this.#said, this.#rewind, this.#edit);
  }

  update(value: PromptShown): void {
    this.#value = value;
    if (!value.canResend) this.#close();
    setHidden(this.#rewind, !value.canRewind || this.#editor !== undefined);
    setHidden(this.#edit, !value.canResend || this.#editor !== undefined);
  }

  #open(): void {
    const { blocks, turnId } = this.#value;
    this.#editor = new PromptEditor(blocks, turnId, () => {
      this.#close();
      this.update(this.#value);
      this.#edit.focus();
    });
    this.element.append(this.#editor.element);
    setHidden(this.#said, true);
    setHidden(this.#edit, true);
    setHidden(this.#rewind, true);
    this.#editor.focus();
  }

  #close(): void {
    this.#editor?.element.remove();
    this.#editor = undefined;
    setHidden(this.#said, false);
  }
}

class PromptEditor {
  readonly element = el("div", { class: "prompt-editor" });
  readonly #input: HTMLTextAreaElement;
  readonly #chips: Chips;
  readonly #turnId: string;

  constructor(blocks: readonly Block[], turnId: string, close: () => void) {
    this.#turnId = turnId;
    const { text, mentions } = takeApart(blocks);
    this.#input = el("textarea", {
      attrs: { "aria-label": "The prompt, to be sent again", rows: String(Math.min(10, text.split("\n").length + 1)) },
    });
    this.#input.value = text;
    this.#chips = new Chips(
      () => undefined,
      () => this.#input.focus(),
    );
    for (const mention of mentions) this.#chips.add(mention);
    this.#input.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter" && !event.shiftKey) this.#send();
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    });
    this.element.append(
      this.#chips.element,
      this.#input,
      el(
        "div",
        { class: "prompt-editor-buttons" },
        el("span", { class: "muted", text: "Takes the place of the last turn. What it changed stays." }),
        button({ label: "Cancel", title: "Cancel (Escape)" }, close),
        button({ label: "Send again", look: "primary", title: "Send again (Enter)" }, () => this.#send()),
      ),
    );
  }

  focus(): void {
    this.#input.focus();
    this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length);
  }

  #send(): void {
    const text = this.#input.value.trim();
    if (text === "") return this.#input.focus();
    post({ kind: "resend", turnId: this.#turnId, text, mentions: this.#chips.mentions });
  }
}

export class SteerView implements Shown<{ readonly blocks: readonly Block[]; readonly isQueued: boolean }> {
  readonly element = el("section", { class: "prompt steer" });
  readonly #label = el("span", { class: "steer-label" });

  constructor(value: { readonly blocks: readonly Block[] }) {
    this.element.append(this.#label, el("div", { class: "said" }, ...saidElements(value.blocks)));
  }

  update({ isQueued }: { readonly isQueued: boolean }): void {
    const label = isQueued ? "Added; the model reads it with its next step" : "Added while it ran";
    setText(this.#label, label);
    setAttr(this.element, "aria-label", `You: ${label.toLowerCase()}`);
    this.element.classList.toggle("queued", isQueued);
  }
}

function saidElements(blocks: readonly Block[]): HTMLElement[] {
  const list = attachments(blocks).map(({ label, uri, line }) => {
    const content = [icon(line === undefined ? "file" : "list-selection"), el("span", {}, ...seen(label))];
    if (uri === undefined) return el("li", { class: "chip" }, ...content);
    const open = el("button", { class: "chip-name", title: visible(uri), attrs: { type: "button" } }, ...content);
    open.addEventListener("click", () => post({ kind: "open", uri, ...(line !== undefined && { line }) }));
    return el("li", { class: "chip" }, open);
  });
  const chips = list.length > 0 ? [el("ul", { class: "chips", attrs: { "aria-label": "Sent along" } }, ...list)] : [];
  return [el("div", { class: "prompt-text" }, ...seen(promptText(blocks))), ...chips];
}
