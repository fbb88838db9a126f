/**
 * Answers that are remembered, each with the very rule that would be kept. The
 * rule can be rewritten before one is chosen; what is chosen then says what
 * stands in the field. Nothing but a press of one of the buttons answers.
 */
import { button, el, freshId, setHidden } from "./elements.ts";
import { optionButton } from "./options.ts";
import { seen } from "./seen.ts";
import type { ApprovalAnswer, ApprovalOption } from "../protocol.gen.ts";

export class Remember {
  readonly element: HTMLElement;

  /** Options of the same rule stand together. Refused is a rewritten rule that did not count, to be mended. */
  constructor(options: readonly ApprovalOption[], answer: (answer: ApprovalAnswer) => void, refused?: string) {
    const groups = new Map<string, ApprovalOption[]>();
    for (const option of options) {
      const key = `${option.editable ?? false} ${option.rule ?? ""}`;
      groups.set(key, [...(groups.get(key) ?? []), option]);
    }
    this.element = el(
      "div",
      { class: "remember", hidden: options.length === 0, attrs: { role: "group", "aria-label": "Answers that are remembered" } },
      ...[...groups.values()].map((group) => new Group(group, answer, refused).element),
    );
  }
}

class Group {
  readonly element = el("div", { class: "remember-group" });
  readonly #rule: string;
  readonly #shown: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #edit: HTMLButtonElement;
  readonly #back: HTMLButtonElement;

  constructor(options: readonly ApprovalOption[], answer: (answer: ApprovalAnswer) => void, refused: string | undefined) {
    const [first] = options;
    this.#rule = first?.rule ?? "";
    const id = freshId("rule");
    const many = this.#rule.includes("\n") ? "Rules" : "Rule";
    this.#shown = el("pre", { class: "rule-text", attrs: { id } }, ...seen(this.#rule, "code"));
    this.#field = el("textarea", {
      class: "rule-editor", hidden: true, attrs: { "aria-label": many, spellcheck: "false", rows: "1" },
    });
    this.#edit = button({ label: "Edit rule…", look: "link", title: "Change what is remembered" }, () => this.#open(true));
    this.#back = button({ label: "Back", look: "link", title: "Back to the rule as it was proposed (Escape)" }, () => this.#open(false));
    setHidden(this.#edit, first?.editable !== true);
    setHidden(this.#back, true);
    this.#field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      this.#open(false);
      event.stopPropagation();
    });
    const buttons = options.map((option) => optionButton(option, () => this.#choose(option, answer)));
    for (const b of buttons) b.setAttribute("aria-describedby", id);
    this.element.append(
      el("div", { class: "rule", hidden: this.#rule === "" }, el("span", { class: "rule-label", text: `${many}: ` }), this.#shown, this.#field, this.#edit, this.#back),
      el("div", { class: "question-buttons" }, ...buttons),
    );
    if (refused !== undefined && refused !== this.#rule && first?.editable === true) this.#show(refused);
  }

  #choose(option: ApprovalOption, answer: (answer: ApprovalAnswer) => void): void {
    const rule = this.#field.hidden ? this.#rule : this.#field.value.trim();
    if (rule === "" && this.#rule !== "") return this.#field.focus();
    answer({ outcome: "selected", optionId: option.optionId, ...(rule !== this.#rule && { rule }) });
  }

  #open(isOpen: boolean): void {
    this.#show(isOpen ? this.#rule : undefined);
    (isOpen ? this.#field : this.#edit).focus();
  }

  /** The field with a text in it, or the rule as it was proposed. */
  #show(edited: string | undefined): void {
    const isOpen = edited !== undefined;
    setHidden(this.#shown, isOpen);
    setHidden(this.#field, !isOpen);
    setHidden(this.#edit, isOpen);
    setHidden(this.#back, !isOpen);
    if (isOpen) this.#field.value = edited;
  }
}
