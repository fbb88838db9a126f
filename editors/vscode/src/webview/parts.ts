/** A command taken apart: what would run, word by word, and what the rules say about each part. */
import { button, el, icon } from "./elements.ts";
import { seen } from "./seen.ts";
import type { Mark } from "./seen.ts";
import { count } from "./words.ts";
import { verdictWords } from "../model/verdicts.ts";
import type { CommandPart } from "../protocol.gen.ts";

/** So many parts are in the page at first. */
const most = 20;

/** How each part is marked in the text of the command. */
export function marksOf(parts: readonly CommandPart[]): Mark[] {
  return parts.map((part) => ({ span: part.span, look: `part ${part.verdict}`, title: spoken(part) }));
}

/** The parts in the order of the text, in words and not by colour alone. */
export function partsList(parts: readonly CommandPart[]): HTMLElement {
  const list = el("ul", { class: "parts", attrs: { "aria-label": "What would run", tabindex: "0" } });
  list.append(...parts.slice(0, most).map(entry));
  const rest = parts.slice(most);
  if (rest.length === 0) return list;
  const more = button({ label: `Show ${count(rest.length, "more command")}`, look: "link" }, () => {
    more.parentElement?.replaceWith(...rest.map(entry));
    list.focus();
  });
  list.append(el("li", { class: "parts-more" }, more));
  return list;
}

function entry({ argv, verdict, why }: CommandPart): HTMLElement {
  const { label, icon: sign } = verdictWords[verdict];
  const words = argv.length === 0
    ? el("span", { class: "argv none", text: "no command of its own" })
    : el("code", { class: "argv" }, ...argv.flatMap((word, i) => [i > 0 && " ", el("span", { class: "word" }, ...seen(word, "code"))]));
  return el(
    "li",
    { class: `part-entry ${verdict}` },
    el("span", { class: "verdict" }, icon(sign), el("span", { text: label })),
    words,
    why !== undefined && el("span", { class: "part-why" }, ...seen(why)),
  );
}

function spoken({ verdict, why }: CommandPart): string {
  const { label } = verdictWords[verdict];
  return why === undefined ? label : `${label}: ${why}`;
}
