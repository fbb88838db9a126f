/**
 * What the model learns beside its conversation: the ends of background
 * commands, how each ended and folded away what it said last, and what a person
 * did with its changes.
 */
import { button, el, icon, setAttr } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { seen } from "./seen.ts";
import { plain } from "../model/tail.ts";
import { firstLine, visible } from "../model/visible.ts";
import type { Notice } from "../protocol.gen.ts";

export class EndedView implements Shown<unknown> {
  readonly element = el("section", { class: "ended", attrs: { "aria-label": "What the model learns" } });

  constructor(sessionId: string, notices: readonly Notice[], remarks: readonly string[]) {
    if (notices.length > 0) setAttr(this.element, "aria-label", notices.every(isCommand) ? "Background commands that ended" : "What ended in the background");
    this.element.append(...notices.map((notice) => noticeElement(sessionId, notice)), ...remarks.map(remarkElement));
  }

  /** What ended has ended. */
  update(): void {
    return undefined;
  }
}

function isCommand({ subagentId }: Notice): boolean {
  return subagentId === undefined;
}

/** In the words that the model reads; a long one, such as one with a text of the person's own, is folded. */
function remarkElement(text: string): HTMLElement {
  const head = "The model was told: ";
  const [line = "", ...more] = text.trim().split("\n");
  const rest = more.join("\n");
  return el(
    "div",
    { class: "ended-command remark" },
    el("p", { class: "ended-line" }, icon("comment"), el("span", { class: "ended-detail" }, head, ...seen(line))),
    rest !== "" &&
      el("div", { class: "ended-more" }, el("details", {}, el("summary", { text: "All of it" }), el("pre", { class: "text", attrs: { tabindex: "0" } }, ...seen(rest)))),
  );
}

/** What went on in the background and has ended. */
export function endedOf(notice: Notice): string {
  return isCommand(notice) ? "A background command ended" : "A subagent in the background";
}

function noticeElement(sessionId: string, notice: Notice): HTMLElement {
  const { title, detail, ok, tail, terminalId } = notice;
  const said = tail === undefined ? "" : plain(tail).trimEnd();
  const show = terminalId !== undefined &&
    button({ label: "Show terminal", icon: "terminal", look: "link" }, () => post({ kind: "showTerminal", sessionId, terminalId }));
  return el(
    "div",
    { class: ok ? "ended-command" : "ended-command bad" },
    el(
      "p",
      { class: "ended-line" },
      icon(ok ? "check" : "error"),
      el(
        "span",
        {},
        `${endedOf(notice)}: `,
        el("span", { class: "ended-title", title: visible(title, "code") }, ...seen(firstLine(title), "code")),
        el("span", { class: "ended-detail" }, " · ", ...seen(detail)),
      ),
    ),
    show || said !== ""
      ? el(
          "div",
          { class: "ended-more" },
          said !== "" && el("details", {}, el("summary", { text: isCommand(notice) ? "End of its output" : "What it answered" }), el("pre", { class: "text", attrs: { tabindex: "0" } }, ...seen(said))),
          show,
        )
      : null,
  );
}
