/** The ends of background commands, where the model learns of them: how each ended, and folded away what it said last. */
import { button, el, icon } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { seen } from "./seen.ts";
import { plain } from "../model/tail.ts";
import { firstLine, visible } from "../model/visible.ts";
import type { Notice } from "../protocol.gen.ts";

export class EndedView implements Shown<unknown> {
  readonly element = el("section", { class: "ended", attrs: { "aria-label": "Background commands that ended" } });

  constructor(sessionId: string, notices: readonly Notice[]) {
    this.element.append(...notices.map((notice) => noticeElement(sessionId, notice)));
  }

  /** What ended has ended. */
  update(): void {
    return undefined;
  }
}

function noticeElement(sessionId: string, { title, detail, ok, tail, terminalId }: Notice): HTMLElement {
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
        "A background command ended: ",
        el("span", { class: "ended-title", title: visible(title, "code") }, ...seen(firstLine(title), "code")),
        el("span", { class: "ended-detail" }, " · ", ...seen(detail)),
      ),
    ),
    show || said !== ""
      ? el(
          "div",
          { class: "ended-more" },
          said !== "" && el("details", {}, el("summary", { text: "End of its output" }), el("pre", { class: "text", attrs: { tabindex: "0" } }, ...seen(said))),
          show,
        )
      : null,
  );
}
