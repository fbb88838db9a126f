/**
 * Answers that are remembered, each with the very rule that would be kept. The
 * rule can be rewritten before one is chosen; what is chosen then says what
 * stands in the field. Nothing but a press of one of the buttons answers.
 */
import { button, el, freshId, setAttr, setHidden } from "./elements.ts";
import { optionButton } from "./options.ts";
import { seen } from "./seen.ts";
import type { ApprovalAnswer, ApprovalOption } from "../protocol.gen.ts";

export interface Remembering {
  readonly answer: (answer: ApprovalAnswer) => void;
  /** A rewritten rule that did not count, to be mended. */
  readonly refused: string | undefined;
  /** What a person is writing outlives its question, which can be asked anew under another name. */
  readonly drafts: Map<string, string>;
  /** The call that is asked about. */
  readonly of: string;
}

export class Remember {
  readonly element: HTMLElement;

  /** Options of the same rule stand together. */
  constructor(options: readonly ApprovalOption[], about: Remembering) {
    const groups = new Map<string, ApprovalOption[]>();
    for (const option of options) {
      const key = `${option.editable ?? false} ${option.rule ?? ""}`;
      groups.set(key, [...(groups.get(key) ?? []), option]);
    }
    this.element = el(
      "div",
      { class: "remember", hidden: options.length === 0, attrs: { role: "group", "aria-label": "Answers that are remembered" } },
      ...[...groups.values()].map((group) => new Group(group, about).element),
    );
  }
}

class Group {
  readonly element = el("div", { class: "remember-group" });
  readonly #rule: string;
  readonly #canEdit: boolean;
  readonly #shown: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #edit: HTMLButtonElement;
  readonly #back: HTMLButtonElement;
  readonly #buttons: readonly HTMLElement[];
  readonly #kept = el("p", { class: "rule-kept muted", hidden: true, text: "It is asked anew. The rule that you were rewriting is kept.", attrs: { role: "status" } });
  readonly #about: Remembering;
  /** Under which name its draft is kept. */
  readonly #key: string;

  constructor(options: readonly ApprovalOption[], about: Remembering) {
    const [first] = options;
    this.#about = about;
    this.#canEdit = first?.editable === true;
    this.#key = `${about.of} ${options.map(({ optionId }) => optionId).join(" ")}`;
    this.#rule = first?.rule ?? "";
    const many = this.#rule.includes("\n") ? "Rules" : "Rule";
    this.#shown = el("pre", { class: "rule-text", attrs: { id: freshId("rule") } }, ...seen(this.#rule, "code"));
    this.#field = el("textarea", {
      class: "rule-editor", hidden: true, attrs: { "aria-label": many, id: freshId("rule-editor"), spellcheck: "false", rows: "1" },
    });
    this.#edit = button({ label: "Edit rule…", look: "link", title: "Change what is remembered" }, () => this.#open(true));
    this.#back = button({ label: "Back", look: "link", title: "Back to the rule as it was proposed (Escape)" }, () => this.#open(false));
    this.#field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      this.#open(false);
      event.stopPropagation();
    });
    this.#field.addEventListener("input", () => about.drafts.set(this.#key, this.#field.value));
    this.#buttons = options.map((option) => optionButton(option, () => this.#choose(option)));
    this.element.append(
      el("div", { class: "rule", hidden: this.#rule === "" }, el("span", { class: "rule-label", text: `${many}: ` }), this.#shown, this.#field, this.#edit, this.#back),
      this.#kept,
      el("div", { class: "question-buttons" }, ...this.#buttons),
    );
    const draft = about.drafts.get(this.#key);
    const mended = draft ?? (about.refused === this.#rule ? undefined : about.refused);
    const isOpen = mended !== undefined && this.#canEdit;
    this.#show(isOpen ? mended : undefined);
    setHidden(this.#kept, !isOpen || draft === undefined);
  }

  #choose(option: ApprovalOption): void {
    const rule = this.#field.hidden ? this.#rule : this.#field.value.trim();
    if (rule === "" && this.#rule !== "") return this.#field.focus();
    this.#about.drafts.delete(this.#key);
    this.#about.answer({ outcome: "selected", optionId: option.optionId, ...(rule !== this.#rule && { rule }) });
  }

  #open(isOpen: boolean): void {
    this.#about.drafts.delete(this.#key);
    setHidden(this.#kept, true);
    this.#show(isOpen ? this.#rule : undefined);
    (isOpen ? this.#field : this.#edit).focus();
  }

  /** The field with a text in it, or the rule as it was proposed. */
  #show(edited: string | undefined): void {
    const isOpen = edited !== undefined;
    setHidden(this.#shown, isOpen);
    setHidden(this.#field, !isOpen);
    setHidden(this.#edit, isOpen || !this.#canEdit);
    setHidden(this.#back, !isOpen);
    if (isOpen) this.#field.value = edited;
    // What a yes would leave behind is what stands there now, also for who hears it.
    for (const b of this.#buttons) setAttr(b, "aria-describedby", isOpen ? this.#field.id : this.#shown.id);
  }
}
