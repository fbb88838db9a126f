/** The hunks of a change, each with its lines and with buttons that decide about it. */
import { Keyed, button, el, setAttr, setHidden, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { place, withContext } from "./difflines.ts";
import { seen } from "./seen.ts";
import type { DiffLine } from "./difflines.ts";
import type { Marks, Verdict } from "../conversation/messages.ts";
import type { Hunk } from "../protocol.gen.ts";

/** More lines of one hunk, and more hunks of one change, are shown on demand. */
const mostLines = 120;
const mostHunks = 25;

export interface HunkList {
  readonly hunks: readonly Hunk[];
  /** Unified; where it is known, its unchanged lines are shown around the hunks. */
  readonly diff?: string;
  /** Marks: a question whose hunks can be decided one by one. Applied: hunks can be kept and taken back. */
  readonly choice: "marks" | "applied" | "none";
  readonly marks: Marks;
  readonly disabled: boolean;
}

export interface HunkDeeds {
  mark(hunkId: string, verdict: Verdict | null): void;
  keep(hunkId: string): void;
  takeBack(hunkId: string): void;
}

interface HunkRow {
  readonly hunk: Hunk;
  readonly lines: readonly DiffLine[];
  readonly list: HunkList;
  readonly number: number;
}

export class HunksView implements Shown<HunkList> {
  readonly element = el("div", { class: "hunks" });
  readonly #list = el("div", { class: "hunk-list" });
  readonly #more = button({ label: "", look: "link", class: "more" }, () => this.#showAll());
  readonly #rows: Keyed<HunkRow>;
  #shownAll = false;
  #value: HunkList | undefined;
  #lines: { hunks: readonly Hunk[]; lines: DiffLine[][] } | undefined;

  constructor(deeds: HunkDeeds) {
    this.#rows = new Keyed(this.#list, (row) => new HunkView(row, deeds));
    this.element.append(this.#list, this.#more);
  }

  update(value: HunkList): void {
    this.#value = value;
    if (this.#lines?.hunks !== value.hunks) {
      this.#lines = { hunks: value.hunks, lines: withContext(value.hunks, value.diff ?? "") };
    }
    const { lines } = this.#lines;
    const shown = this.#shownAll ? value.hunks : value.hunks.slice(0, mostHunks);
    this.#rows.update(
      shown.map((hunk, i) => ({ hunk, lines: lines[i] ?? [], list: value, number: i + 1 })),
      (row) => row.hunk.hunkId,
    );
    const rest = value.hunks.length - shown.length;
    setHidden(this.#more, rest === 0);
    this.#more.textContent = `Show ${rest} more hunks`;
  }

  #showAll(): void {
    const first = this.#list.children.length;
    this.#shownAll = true;
    if (this.#value) this.update(this.#value);
    const next = this.#list.children[first];
    if (next instanceof HTMLElement) next.focus();
  }
}

class HunkView implements Shown<HunkRow> {
  readonly element = el("div", { class: "hunk", attrs: { role: "group", tabindex: "-1" } });
  readonly #state = el("span", { class: "hunk-state" });
  readonly #accept: HTMLButtonElement;
  readonly #reject: HTMLButtonElement;
  readonly #keep: HTMLButtonElement;
  readonly #takeBack: HTMLButtonElement;
  #row: HunkRow;

  constructor(row: HunkRow, deeds: HunkDeeds) {
    this.#row = row;
    const id = row.hunk.hunkId;
    const toggle = (verdict: Verdict): void => deeds.mark(id, this.#mark() === verdict ? null : verdict);
    const where = place(row.hunk);
    this.#accept = button(
      {
        label: "Accept",
        icon: "check",
        look: "secondary",
        class: "toggle accept",
        title: "Accept this hunk (A)",
        attrs: { "aria-keyshortcuts": "A" },
      },
      () => toggle("accept"),
    );
    this.#reject = button(
      {
        label: "Reject",
        icon: "close",
        look: "secondary",
        class: "toggle reject",
        title: "Reject this hunk (R)",
        attrs: { "aria-keyshortcuts": "R" },
      },
      () => toggle("reject"),
    );
    this.#keep = button({ label: "Keep", icon: "check", look: "secondary", title: "Leave this hunk as it is" }, () => deeds.keep(id));
    this.#takeBack = button({ label: "Take back", icon: "discard", look: "secondary" }, () => deeds.takeBack(id));
    this.element.append(
      el(
        "div",
        { class: "hunk-head" },
        el("span", { class: "hunk-place", text: where }),
        this.#state,
        el("span", { class: "hunk-buttons" }, this.#accept, this.#reject, this.#keep, this.#takeBack),
      ),
      linesElement(row.lines, where),
    );
    this.element.addEventListener("keydown", (event) => this.#key(event, toggle));
  }

  update(row: HunkRow): void {
    this.#row = row;
    const { list, hunk, number } = row;
    const mark = this.#mark();
    const isMarks = list.choice === "marks";
    for (const [b, verdict] of [
      [this.#accept, "accept"],
      [this.#reject, "reject"],
    ] as const) {
      setHidden(b, !isMarks || list.hunks.length < 2);
      setAttr(b, "aria-pressed", String(mark === verdict));
      b.disabled = list.disabled;
    }
    setHidden(this.#keep, list.choice !== "applied" || hunk.state !== "applied");
    setHidden(this.#takeBack, list.choice !== "applied" || (hunk.state !== "applied" && hunk.state !== "kept"));
    const state = isMarks ? (mark ?? "undecided") : (hunk.state ?? "");
    setAttr(this.element, "data-state", state);
    setText(this.#state, stateWords[state] ?? "");
    setAttr(this.element, "aria-label", `Hunk ${number} of ${list.hunks.length}, ${place(hunk)}${stateSpoken(state)}`);
  }

  #mark(): Verdict | undefined {
    return this.#row.list.marks[this.#row.hunk.hunkId];
  }

  /** Letters act only while one of the hunk's own buttons, or the hunk, has the keyboard. */
  #key(event: KeyboardEvent, toggle: (verdict: Verdict) => void): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { list } = this.#row;
    const verdict = ({ a: "accept", r: "reject" } as const)[event.key.toLowerCase()];
    if (verdict && list.choice === "marks" && !list.disabled && list.hunks.length > 1) toggle(verdict);
    else if (event.key === "ArrowDown") this.#move(this.element.nextElementSibling);
    else if (event.key === "ArrowUp") this.#move(this.element.previousElementSibling);
    else return;
    event.preventDefault();
  }

  #move(to: Element | null): void {
    const same = document.activeElement === this.#reject ? ".reject" : ".accept";
    const target = to?.querySelector<HTMLElement>(`${same}:not([hidden])`) ?? to;
    if (target instanceof HTMLElement) target.focus();
  }
}

const stateWords: { readonly [state: string]: string } = {
  applied: "Applied",
  kept: "Kept",
  rejected: "Not applied",
  accept: "Accepted",
  reject: "Rejected",
};

function stateSpoken(state: string): string {
  const word = stateWords[state];
  return word ? `, ${word.toLowerCase()}` : "";
}

function linesElement(lines: readonly DiffLine[], label: string): HTMLElement {
  const box = el("div", {
    class: "diff",
    attrs: { tabindex: "0", role: "group", "aria-label": `Text, ${label.toLowerCase()}` },
  });
  const table = el("div", { class: "diff-lines" });
  table.append(...lines.slice(0, mostLines).map(lineElement));
  box.append(table);
  if (lines.length > mostLines) {
    const more = button({ label: `Show ${lines.length - mostLines} more lines`, look: "link", class: "more" }, () => {
      more.remove();
      table.append(...lines.slice(mostLines).map(lineElement));
      box.focus();
    });
    return el("div", {}, box, more);
  }
  return box;
}

const signs = { same: " ", removed: "-", added: "+" } as const;

function lineElement(line: DiffLine): HTMLElement {
  const text = el("span", { class: "diff-text" });
  if (line.changed && line.changed[0] < line.changed[1]) {
    const [start, end] = line.changed;
    text.append(
      ...seen(line.text.slice(0, start)),
      el("span", { class: "diff-changed" }, ...seen(line.text.slice(start, end))),
      ...seen(line.text.slice(end)),
    );
  } else text.append(...seen(line.text));
  return el(
    "div",
    { class: `diff-line ${line.kind}` },
    el("span", {
      class: "diff-number",
      text: String(line.newLine ?? line.oldLine ?? ""),
      attrs: { "aria-hidden": "true" },
    }),
    el("span", { class: "diff-sign", text: signs[line.kind] }),
    text,
  );
}
