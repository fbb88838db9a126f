/**
 * The conversation from top to bottom. Only the newest rows are in the page;
 * earlier ones come when the top is reached. It follows what streams in as long
 * as its end is in sight, and never moves what a person looks at otherwise.
 */
import { Keyed, button, el, setHidden } from "./elements.ts";
import { placeOf } from "./links.ts";
import { copyCode } from "./message.ts";
import { post } from "./host.ts";
import { rowsOf } from "./rows.ts";
import { keyOf, makeRow } from "./rowviews.ts";
import { questions } from "./scene.ts";
import type { Row } from "./rows.ts";
import type { RowDeeds, RowShown } from "./rowviews.ts";
import type { Scene } from "./scene.ts";
import { continuable, replaceable, writing } from "../model/reduce.ts";

/** So many rows are in the page at first, and more of them each time the top is reached. */
const page = 100;
/** When so many rows are in the page and the end is in sight, the earliest go. */
const most = 400;
/** So near, in pixels, counts as the end. */
const near = 32;

export interface LogDeeds extends RowDeeds {
  announce(text: string): void;
}

export class Log {
  readonly element = el("div", { class: "log-frame" });
  readonly #scroller = el("div", {
    class: "log",
    attrs: { role: "log", "aria-live": "off", "aria-label": "Conversation", tabindex: "0" },
  });
  readonly #earlier: HTMLButtonElement;
  readonly #list = el("div", { class: "rows" });
  readonly #newest: HTMLButtonElement;
  readonly #rows: Keyed<RowShown>;
  readonly #deeds: LogDeeds;
  #scene: Scene | undefined;
  #sessionId = "";
  /** How many of the earliest rows are not in the page. */
  #skipped = 0;
  #total = 0;
  #follows = true;
  /** Where following has led last. */
  #followed = 0;

  constructor(deeds: LogDeeds) {
    this.#deeds = deeds;
    this.#earlier = button({ label: "Show earlier", look: "link", class: "earlier" }, () => this.#showEarlier());
    // Below what scrolls, never over it: it must not come between a person and a button.
    this.#newest = button({ label: "Jump to the newest", icon: "arrow-down", look: "link", class: "newest" }, () =>
      this.toEnd(),
    );
    this.#rows = new Keyed(this.#list, (shown) => makeRow(shown, deeds));
    this.#scroller.append(this.#earlier, this.#list);
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#scroller.addEventListener("click", (event) => this.#clicked(event));
    // At once: later it would look as if somebody had scrolled away from the end.
    this.#scroller.addEventListener("grown", () => this.#follows && this.#follow());
    this.element.append(this.#scroller, this.#newest);
    setHidden(this.#newest, true);
    new ResizeObserver(() => this.#follows && this.#follow()).observe(this.#scroller);
    new IntersectionObserver(
      (entries) => entries.some((e) => e.isIntersecting) && !this.#follows && this.#showEarlier(),
      {
        root: this.#scroller,
        rootMargin: "200px 0px 0px 0px",
      },
    ).observe(this.#earlier);
  }

  update(scene: Scene): void {
    this.#scene = scene;
    const { conversation } = scene;
    const id = conversation?.session.sessionId ?? "";
    const rows = rowsIn(scene);
    if (id !== this.#sessionId) this.#begin(id);
    if (this.#total === 0) this.#skipped = Math.max(0, rows.length - page);
    if (this.#follows && rows.length - this.#skipped > most) this.#skipped = rows.length - page;
    this.#skipped = Math.min(this.#skipped, Math.max(0, rows.length - 1), firstAsked(rows, scene));
    this.#total = rows.length;
    this.#draw(rows);
    if (this.#follows) this.#follow();
    else this.#measure();
  }

  toEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#followed = -1; // the person went there
    this.#follows = true;
    setHidden(this.#newest, true);
  }

  /**
   * Goes along with what comes, and never past the head of a question: nobody allows what they did not see. Who has
   * moved on from there is only taken further down.
   */
  #follow(): void {
    for (let i = 0; i < 3; i++) { // rows that come into sight are measured only then
      const place = this.#place();
      const isMoved = Math.abs(this.#scroller.scrollTop - this.#followed) > 1;
      if (isMoved && this.#scroller.scrollTop >= place) break;
      this.#scroller.scrollTop = place;
      this.#followed = this.#scroller.scrollTop;
    }
    setHidden(this.#newest, true);
  }

  /** Where following leads: the end, or the first open question that begins above what would then be in sight. */
  #place(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const end = scrollHeight - clientHeight;
    const card = this.#list.querySelector<HTMLElement>("[data-approval]");
    if (!card) return end;
    const head = scrollTop + card.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
    return Math.min(end, Math.floor(head));
  }

  /** Moves the keyboard to a question, not to one of its buttons: what is pressed next must not decide by accident. */
  focusQuestion(approvalId: string): void {
    const card = this.#list.querySelector<HTMLElement>(`[data-approval="${CSS.escape(approvalId)}"]`);
    card?.scrollIntoView({ block: "start" });
    card?.focus({ preventScroll: true });
  }

  /** Brings the card of a subagent to the eye, and the keyboard with it. */
  focusSubagent(callId: string, sessionId: string): void {
    const scene = this.#scene;
    const rows = scene ? rowsIn(scene) : [];
    const at = rows.findIndex((row) => row.kind === "call" && row.callId === callId);
    if (at < 0) return;
    this.#skipped = Math.min(this.#skipped, at);
    this.#follows = false;
    this.#draw(rows);
    const card = this.#list.querySelector<HTMLElement>(`.subagent[data-session="${CSS.escape(sessionId)}"]`);
    card?.scrollIntoView({ block: "start" });
    card?.focus({ preventScroll: true });
  }

  focus(): void {
    this.#scroller.focus({ preventScroll: true });
  }

  /** Opens the last prompt for editing, if it can be sent again. */
  editLastPrompt(): void {
    const last = [...this.#list.querySelectorAll<HTMLElement>(".prompt-edit:not([hidden])")].at(-1);
    last?.scrollIntoView({ block: "nearest" });
    last?.click();
  }

  #begin(sessionId: string): void {
    this.#rows.clear();
    this.#sessionId = sessionId;
    this.#total = 0;
    this.#follows = true;
  }

  #draw(rows: readonly Row[]): void {
    const scene = this.#scene;
    if (!scene) return;
    const { conversation } = scene;
    const resend = conversation ? replaceable(conversation) : undefined;
    const resume = conversation ? continuable(conversation) : undefined;
    const rewinds = conversation && !conversation.turnId ? writing(conversation, Object.values(scene.children)) : none;
    const shown = rows.slice(this.#skipped);
    this.#rows.update(
      shown.map((row, i) => ({ row, scene, resend, resume, rewinds, last: i === shown.length - 1 })),
      keyOf,
    );
    setHidden(this.#earlier, this.#skipped === 0);
    const label = this.#earlier.querySelector(".button-label");
    if (label) label.textContent = `Show earlier (${this.#skipped.toLocaleString("en-US")})`;
  }

  #showEarlier(): void {
    if (this.#skipped === 0 || !this.#scene?.conversation) return;
    const below = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    this.#skipped = Math.max(0, this.#skipped - page);
    this.#draw(rowsIn(this.#scene));
    this.#scroller.scrollTop = this.#scroller.scrollHeight - below; // what was looked at stays where it was
  }

  #scrolled(): void {
    this.#measure();
    if (this.#follows) setHidden(this.#newest, true);
  }

  #measure(): void {
    this.#follows = this.#place() - this.#scroller.scrollTop < near;
    setHidden(this.#newest, this.#follows);
  }

  #clicked(event: MouseEvent): void {
    const { target } = event;
    if (copyCode(target, (text) => this.#deeds.announce(text))) return;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    const href = link?.getAttribute("href");
    const place = href ? placeOf(href, this.#scene?.conversation?.session.cwd ?? "") : null;
    // Unfolding something makes the page longer: what was unfolded stays in sight.
    requestAnimationFrame(() => this.#measure());
    if (!place) return;
    event.preventDefault();
    post({ kind: "open", ...place });
  }
}

const none: ReadonlySet<string> = new Set();

function rowsIn({ conversation, children }: Scene): Row[] {
  return conversation ? rowsOf(conversation, Object.values(children).flatMap(({ approvals }) => approvals)) : [];
}

/** Whatever asks is in the page, however long ago it was begun: a subagent may ask many turns later. */
function firstAsked(rows: readonly Row[], scene: Scene): number {
  const asking = new Set(questions(scene).map(({ origin, callId }) => origin?.callId ?? callId));
  const at = asking.size === 0 ? -1 : rows.findIndex((row) => row.kind === "call" && asking.has(row.callId));
  return at < 0 ? rows.length : at;
}
