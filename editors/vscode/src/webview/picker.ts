/** A button that shows what is chosen and opens a list of what could be. */
import { el, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import { Listbox } from "./listbox.ts";
import type { ChoiceGroup } from "./listbox.ts";

export interface PickerLook {
  /** What is chosen with it: "Mode". */
  readonly name: string;
  readonly icon: string;
  /** So many choices or more get a field to filter them. */
  readonly filterFrom?: number;
  readonly empty: string;
}

export class Picker {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #icon: HTMLElement;
  readonly #label = el("span", { class: "picker-label" });
  readonly #popup: HTMLElement;
  readonly #filter: HTMLInputElement;
  readonly #list: Listbox;
  readonly #look: PickerLook;
  readonly #opened: () => void;
  #groups: readonly ChoiceGroup[] = [];

  constructor(look: PickerLook, pick: (id: string) => void, opened: () => void = () => undefined) {
    this.#look = look;
    this.#opened = opened;
    this.#icon = icon(look.icon);
    this.#list = new Listbox(look.name, (id) => {
      this.#close(true);
      pick(id);
    });
    this.#button = el(
      "button",
      { class: "picker", attrs: { type: "button", "aria-haspopup": "listbox", "aria-expanded": "false" } },
      this.#icon,
      this.#label,
      icon("chevron-down"),
    );
    this.#filter = el("input", {
      class: "picker-filter",
      attrs: {
        type: "text",
        placeholder: "Filter",
        role: "combobox",
        "aria-label": `Filter ${look.name.toLowerCase()}`,
        "aria-expanded": "true",
        "aria-autocomplete": "list",
      },
    });
    this.#popup = el("div", { class: "popup", hidden: true }, this.#filter, this.#list.element);
    this.element = el("div", { class: "picker-frame" }, this.#button, this.#popup);
    this.#listen();
  }

  show(label: string, title: string, symbol: string = this.#look.icon): void {
    setText(this.#label, label);
    setIcon(this.#icon, symbol);
    setAttr(this.#button, "title", title);
    setAttr(this.#button, "aria-label", `${this.#look.name}: ${label}`);
  }

  choices(groups: readonly ChoiceGroup[]): void {
    this.#groups = groups;
    if (!this.#popup.hidden) this.#draw(true);
  }

  #listen(): void {
    this.#button.addEventListener("click", () => (this.#popup.hidden ? this.#open() : this.#close(true)));
    this.#button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      this.#open();
    });
    this.#filter.addEventListener("input", () => this.#draw());
    this.#popup.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close(true);
      else if (!this.#list.key(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node && this.element.contains(event.relatedTarget))) this.#close(false);
    });
  }

  #open(): void {
    this.#opened();
    setHidden(this.#popup, false);
    setAttr(this.#button, "aria-expanded", "true");
    this.#filter.value = "";
    const total = this.#groups.reduce((sum, group) => sum + group.choices.length, 0);
    const filters = total >= (this.#look.filterFrom ?? Infinity);
    setHidden(this.#filter, !filters);
    const owner = filters ? this.#filter : this.#list.element;
    this.#list.ownedBy(owner);
    this.#draw();
    owner.focus();
  }

  #draw(keep = false): void {
    const wanted = this.#filter.value.trim().toLowerCase();
    const groups = this.#groups.map((group) => ({
      ...group,
      choices: group.choices.filter(({ label, detail }) => `${label} ${detail ?? ""}`.toLowerCase().includes(wanted)),
    }));
    this.#list.set(groups, wanted ? "Nothing like it" : this.#look.empty, keep);
  }

  #close(keepsKeyboard: boolean): void {
    if (this.#popup.hidden) return;
    setHidden(this.#popup, true);
    setAttr(this.#button, "aria-expanded", "false");
    if (keepsKeyboard) this.#button.focus();
  }
}
