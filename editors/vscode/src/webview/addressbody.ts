/** A read over the network that is asked about: the whole address, and whom it would reach. */
import { el, icon } from "./elements.ts";
import { choose, optionButton } from "./options.ts";
import type { Body, Buttons } from "./question.ts";
import { CommandText, seen } from "./seen.ts";
import type { ApprovalAnswer, ApprovalOption } from "../protocol.gen.ts";

export class AddressBody implements Body {
  readonly element: HTMLElement;
  readonly #answer: (answer: ApprovalAnswer) => void;

  constructor(url: string, answer: (answer: ApprovalAnswer) => void) {
    this.#answer = answer;
    const host = hostOf(url);
    const reaches = host === ""
      ? "Whoever is asked learns this address"
      : ["Asks ", el("strong", {}, ...seen(host, "code")), ", which learns this address"];
    this.element = el(
      "div",
      { class: "question-body" },
      new CommandText(url).element,
      el("div", { class: "circumstances" }, el("span", { class: "reaches" }, icon("globe"), el("span", {}, ...reaches))),
    );
  }

  buttons(options: readonly ApprovalOption[]): Buttons {
    return { first: options.map((option) => optionButton(option, () => this.#answer(choose(option)))), more: [] };
  }

  update(): void {
    return undefined;
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}
