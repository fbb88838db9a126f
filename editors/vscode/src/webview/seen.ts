/** Text on the page with what cannot be seen in it named (model/visible.ts). */
import { button, el, setAttr, setHidden, setText } from "./elements.ts";
import { count } from "./words.ts";
import { partsOf } from "../model/gaps.ts";
import type { Part } from "../model/gaps.ts";
import { typedPieces } from "../model/typed.ts";
import { pieces, visible } from "../model/visible.ts";
import type { Piece, Rule } from "../model/visible.ts";
import { segmentsOf } from "../model/spans.ts";
import type { Span } from "../protocol.gen.ts";

export function seen(text: string, rule: Rule = "prose"): Node[] {
  return nodesOf(pieces(text, rule));
}

function nodesOf(all: readonly Piece[]): Node[] {
  return all.map((piece) => {
    if (piece.kind === "plain") return document.createTextNode(piece.text);
    if (piece.kind === "turned") return el("bdi", { text: piece.text });
    return el("span", { class: "unseen", text: piece.text, title: piece.title });
  });
}

export function setSeen(element: HTMLElement, text: string, rule: Rule = "prose"): void {
  if (element.textContent !== visible(text, rule)) element.replaceChildren(...seen(text, rule));
}

/** How a part of a command looks, and what is said about it. */
export interface Mark {
  readonly span: Span;
  readonly look: string;
  readonly title: string;
}

/**
 * A command that is asked about. Long gaps are folded, so that nothing hides
 * behind them; what is longer than its box says so and fades where it is cut.
 */
export class CommandText {
  readonly element = el("div", { class: "command-frame" });
  readonly #text = el("pre", { class: "command", attrs: { tabindex: "0" } });
  readonly #window = el("div", { class: "command-window" }, this.#text);
  readonly #note = el("span");
  readonly #all: HTMLButtonElement;
  readonly #more: HTMLElement;
  readonly #size: string;
  readonly #draw: (text: string) => Node[];
  readonly #marks: readonly Mark[];
  /** Which mark each segment of the text has, as far as it is not drawn yet. */
  readonly #segments: { text: string; readonly part: number | undefined }[];

  /** Typed: it is no command but what is typed into one, and each key counts. */
  constructor(command: string, kind: "command" | "typed" = "command", marks: readonly Mark[] = []) {
    this.#draw = kind === "typed" ? (text) => nodesOf(typedPieces(text)) : (text) => seen(text, "code");
    this.#marks = marks;
    this.#segments = segmentsOf(command, marks.map(({ span }) => span));
    this.#size = sizeOf(command);
    this.#all = button({ label: "Show all", look: "link" }, () => this.#toggle());
    this.#more = el("div", { class: "command-more", hidden: true }, this.#note, this.#all);
    this.#text.append(...partsOf(command).flatMap((part) => this.#part(part)));
    this.element.append(this.#window, this.#more);
    this.#text.addEventListener("scroll", () => this.#measure(), { passive: true });
    new ResizeObserver(() => this.#measure()).observe(this.#text);
  }

  #part({ kind, text, words }: Part): Node[] {
    const segments = this.#take(text.length);
    if (kind === "text") return segments.flatMap(({ text: piece, part }) => this.#marked(piece, part));
    if (kind === "trailing") {
      return [el("span", { class: "blanks", text: text.replaceAll(" ", "·").replaceAll("\t", "→"), title: words })];
    }
    const gap = el("button", { class: "gap", text: words, title: "Show them", attrs: { type: "button" } });
    gap.addEventListener("click", () => {
      gap.replaceWith(text);
      this.#text.focus();
      this.#measure();
    });
    return [gap];
  }

  /** The next characters of the text, by segment. */
  #take(length: number): { text: string; part: number | undefined }[] {
    const taken = [];
    for (let left = length; left > 0;) {
      const [next] = this.#segments;
      if (!next) break;
      const text = next.text.slice(0, left);
      taken.push({ text, part: next.part });
      next.text = next.text.slice(text.length);
      if (next.text === "") this.#segments.shift();
      left -= text.length;
    }
    return taken;
  }

  #marked(text: string, part: number | undefined): Node[] {
    const mark = part === undefined ? undefined : this.#marks[part];
    return mark ? [el("span", { class: mark.look, title: mark.title }, ...this.#draw(text))] : this.#draw(text);
  }

  #toggle(): void {
    const isWhole = this.element.classList.toggle("whole");
    const label = this.#all.querySelector<HTMLElement>(".button-label");
    if (label) setText(label, isWhole ? "Show less" : "Show all");
    if (!isWhole) this.element.scrollIntoView({ block: "nearest" });
    this.#measure();
  }

  #measure(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#text;
    if (clientHeight === 0) return; // not on the page
    const isWhole = this.element.classList.contains("whole");
    const isLong = isWhole || scrollHeight > clientHeight + 1;
    this.element.classList.toggle("cut", scrollHeight - scrollTop - clientHeight > 1);
    setText(this.#note, isWhole ? this.#size : `${this.#size}, scroll to see all`);
    setAttr(this.#text, "aria-label", isLong ? `Command, ${this.#size}` : null);
    setAttr(this.#text, "role", isLong ? "group" : null);
    if (this.#more.hidden !== isLong) return;
    setHidden(this.#more, !isLong);
    this.element.dispatchEvent(new Event("grown", { bubbles: true }));
  }
}

function sizeOf(command: string): string {
  const lines = command.replace(/\n$/u, "").split("\n").length;
  return lines > 1 ? count(lines, "line") : `1 line of ${count(command.length, "character")}`;
}
