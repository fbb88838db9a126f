/** A list of which one is chosen, for pickers and completion. The keyboard may stay elsewhere: keys are handed in. */
import { el, freshId, icon, setAttr } from "./elements.ts";
import { seen } from "./seen.ts";
import { visible } from "../model/visible.ts";

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon?: string;
  readonly isChosen?: boolean;
}

export interface ChoiceGroup {
  readonly title?: string;
  readonly choices: readonly Choice[];
}

export class Listbox {
  readonly element: HTMLElement;
  readonly #pick: (id: string) => void;
  /** The element that has the keyboard and says which option is active. */
  #owner: HTMLElement;
  #options: { readonly id: string; readonly element: HTMLElement }[] = [];
  #active = -1;

  constructor(label: string, pick: (id: string) => void) {
    this.element = el("div", {
      class: "listbox",
      attrs: { role: "listbox", id: freshId("list"), "aria-label": label, tabindex: "-1" },
    });
    this.#owner = this.element;
    this.#pick = pick;
    this.element.addEventListener("mousedown", (event) => event.preventDefault()); // the keyboard stays where it is
  }

  get isEmpty(): boolean {
    return this.#options.length === 0;
  }

  get size(): number {
    return this.#options.length;
  }

  ownedBy(owner: HTMLElement): void {
    this.#owner = owner;
    setAttr(owner, "aria-controls", this.element.id);
  }

  /** Keep: the list is the same one grown, and what was active stays so. */
  set(groups: readonly ChoiceGroup[], empty: string, keep = false): void {
    const before = keep ? this.#options[this.#active]?.id : undefined;
    this.#options = [];
    this.element.replaceChildren(
      ...groups.filter((group) => group.choices.length > 0).map((group) => this.#group(group)),
    );
    if (this.isEmpty)
      this.element.append(
        el("div", {
          class: "listbox-empty",
          text: empty,
          attrs: { role: "option", "aria-disabled": "true", "aria-selected": "false" },
        }),
      );
    const again = this.#options.findIndex(({ id }) => id === before);
    const chosen = this.#options.findIndex(({ element }) => element.getAttribute("aria-selected") === "true");
    this.#activate(again >= 0 ? again : Math.max(0, chosen));
  }

  /** True when the key was one of the list's. */
  key(event: KeyboardEvent): boolean {
    const last = this.#options.length - 1;
    if (event.key === "ArrowDown") this.#activate(this.#active >= last ? 0 : this.#active + 1);
    else if (event.key === "ArrowUp") this.#activate(this.#active <= 0 ? last : this.#active - 1);
    else if (event.key === "PageDown") this.#activate(Math.min(last, this.#active + 8));
    else if (event.key === "PageUp") this.#activate(Math.max(0, this.#active - 8));
    else if (event.key === "Enter" || event.key === "Tab") return this.pickActive();
    else return false;
    return true;
  }

  pickActive(): boolean {
    const active = this.#options[this.#active];
    if (active) this.#pick(active.id);
    return active !== undefined;
  }

  #group({ title, choices }: ChoiceGroup): HTMLElement {
    const group = el("div", { class: "listbox-group", attrs: { role: "group" } });
    if (title) {
      const heading = el("div", {
        class: "listbox-title",
        text: title,
        attrs: { id: freshId("group"), role: "presentation" },
      });
      group.append(heading);
      setAttr(group, "aria-label", title);
    }
    for (const choice of choices) group.append(this.#option(choice));
    return group;
  }

  #option(choice: Choice): HTMLElement {
    const element = el(
      "div",
      {
        class: "option",
        title: visible(choice.detail ? `${choice.label}: ${choice.detail}` : choice.label),
        attrs: { role: "option", id: freshId("option"), "aria-selected": String(choice.isChosen === true) },
      },
      icon(choice.isChosen ? "check" : (choice.icon ?? "blank")),
      el(
        "span",
        { class: "option-text" },
        el("span", { class: "option-label" }, ...seen(choice.label)),
        choice.detail && el("span", { class: "option-detail" }, ...seen(choice.detail)),
      ),
    );
    const at = this.#options.push({ id: choice.id, element }) - 1;
    element.addEventListener("click", () => this.#pick(choice.id));
    element.addEventListener("mousemove", () => this.#activate(at));
    return element;
  }

  #activate(at: number): void {
    this.#options[this.#active]?.element.classList.remove("active");
    this.#active = at;
    const active = this.#options[at]?.element;
    active?.classList.add("active");
    active?.scrollIntoView({ block: "nearest" });
    setAttr(this.#owner, "aria-activedescendant", active?.id ?? null);
  }
}
