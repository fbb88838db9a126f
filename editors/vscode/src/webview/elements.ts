/** Elements made and updated in place, so that focus, selection and scrolling survive what streams in. */

export type Child = Node | string | null | undefined | false;

type Props = {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly hidden?: boolean;
  readonly on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
  /** Everything else is an attribute: role, aria-label, tabindex, id. */
  readonly attrs?: { readonly [name: string]: string };
};

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.text !== undefined) element.textContent = props.text;
  if (props.title) element.title = props.title;
  if (props.hidden) element.hidden = true;
  for (const [name, value] of Object.entries(props.attrs ?? {})) element.setAttribute(name, value);
  for (const [name, f] of Object.entries(props.on ?? {})) element.addEventListener(name, f as EventListener);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** An icon is decoration: what it means is said by text or a label beside it. */
export function icon(name: string): HTMLSpanElement {
  return el("span", { class: `codicon codicon-${name}`, attrs: { "aria-hidden": "true" } });
}

export function setIcon(element: HTMLElement, name: string): void {
  const wanted = `codicon codicon-${name}`;
  if (element.className !== wanted) element.className = wanted;
}

export interface ButtonLook {
  readonly label: string;
  readonly icon?: string;
  readonly title?: string;
  /** Icon: the label is only spoken and shown as a tooltip. */
  readonly look?: "primary" | "secondary" | "link" | "icon";
  readonly class?: string;
  readonly attrs?: { readonly [name: string]: string };
}

export function button(look: ButtonLook, press: (event: MouseEvent) => void): HTMLButtonElement {
  const kind = look.look ?? "secondary";
  const attrs: { [name: string]: string } = { type: "button", ...look.attrs };
  if (kind === "icon") attrs["aria-label"] = look.label;
  const title = look.title ?? (kind === "icon" ? look.label : undefined);
  return el(
    "button",
    {
      class: `button ${kind} ${look.class ?? ""}`.trim(),
      ...(title !== undefined && { title }),
      attrs,
      on: { click: press },
    },
    look.icon && icon(look.icon),
    kind !== "icon" && el("span", { class: "button-label", text: look.label }),
  );
}

export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setAttr(element: HTMLElement, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A thing on the screen that stands for a value and follows it. */
export interface Shown<T> {
  readonly element: HTMLElement;
  update(value: T): void;
}

/** Children of one parent, one for each key, in the order of the values. An element never moves unless it must. */
export class Keyed<T> {
  readonly #parent: HTMLElement;
  readonly #make: (value: T) => Shown<T>;
  #shown = new Map<string, Shown<T>>();

  constructor(parent: HTMLElement, make: (value: T) => Shown<T>) {
    this.#parent = parent;
    this.#make = make;
  }

  get size(): number {
    return this.#shown.size;
  }

  get(key: string): Shown<T> | undefined {
    return this.#shown.get(key);
  }

  update(values: readonly T[], key: (value: T) => string): void {
    const next = new Map<string, Shown<T>>();
    for (const value of values) {
      const k = key(value);
      const shown = this.#shown.get(k) ?? this.#make(value);
      shown.update(value);
      next.set(k, shown);
    }
    for (const [k, shown] of this.#shown) if (!next.has(k)) shown.element.remove();
    this.#shown = next;
    this.#place(next);
  }

  clear(): void {
    this.update([], () => "");
  }

  #place(shown: Map<string, Shown<T>>): void {
    let at = this.#parent.firstElementChild;
    for (const { element } of shown.values()) {
      if (element === at) at = at.nextElementSibling;
      else this.#parent.insertBefore(element, at);
    }
  }
}

let lastId = 0;

/** An id for what aria attributes refer to. */
export function freshId(stem: string): string {
  lastId += 1;
  return `${stem}-${lastId}`;
}
