/**
 * The conversation from top to bottom. Only the newest rows are in the page;
 * earlier ones come when the top is reached. It follows what streams in as long
 * as its end is in sight, and never moves what a person looks at otherwise.
 */
import { Keyed, button, el, setHidden } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { CallView } from "./call.ts";
import { placeOf } from "./links.ts";
import { EndedView } from "./ended.ts";
import { EndView, ReplacedView, ThoughtView, separator } from "./marginal.ts";
import { MessageView, copyCode } from "./message.ts";
import { post } from "./host.ts";
import { PromptView, SteerView } from "./prompts.ts";
import { QuestionView } from "./question.ts";
import { rowsOf } from "./rows.ts";
import { questions } from "./scene.ts";
import type { Row } from "./rows.ts";
import type { Scene } from "./scene.ts";
import type { EndItem, Item } from "../model/conversation.ts";
import { continuable, replaceable, writing } from "../model/reduce.ts";

/** So many rows are in the page at first, and more of them each time the top is reached. */
const page = 100;
/** When so many rows are in the page and the end is in sight, the earliest go. */
const most = 400;
/** So near, in pixels, counts as the end. */
const near = 32;

export interface LogDeeds {
  changed(): void;
  announce(text: string): void;
  takeText(text: string): void;
  /** The text stands in the prompt box. */
  hasText(text: string): boolean;
}

interface RowShown {
  readonly row: Row;
  readonly scene: Scene;
  readonly last: boolean;
  readonly resend: string | undefined;
  readonly resume: string | undefined;
  /** The turns that can be rewound. */
  readonly rewinds: ReadonlySet<string>;
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
    this.#rows = new Keyed(this.#list, (shown) => this.#make(shown));
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
    const rows = conversation ? rowsOf(conversation) : [];
    if (id !== this.#sessionId) this.#begin(id);
    if (this.#total === 0) this.#skipped = Math.max(0, rows.length - page);
    if (this.#follows && rows.length - this.#skipped > most) this.#skipped = rows.length - page;
    this.#skipped = Math.min(this.#skipped, Math.max(0, rows.length - 1));
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
    const rewinds = conversation && !conversation.turnId ? writing(conversation) : none;
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
    this.#draw(rowsOf(this.#scene.conversation));
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

  #make(shown: RowShown): Shown<RowShown> {
    const { row } = shown;
    switch (row.kind) {
      case "prompt":
        return adapt(shown, ofPrompt, (value) => new PromptView(value));
      case "steer":
        return adapt(
          shown,
          () => ({ blocks: row.blocks, isQueued: false }),
          (value) => new SteerView(value),
        );
      case "queued":
        return adapt(
          shown,
          () => ({ blocks: row.blocks, isQueued: true }),
          (value) => new SteerView(value),
        );
      case "message":
        return adapt(
          shown,
          (s) => s.row as typeof row,
          () => new MessageView(),
        );
      case "thought":
        return adapt(shown, ofThought, () => new ThoughtView());
      case "call":
        return adapt(
          shown,
          (s) => ({ call: s.row as typeof row, scene: s.scene, answered: this.#deeds.changed }),
          (v) => new CallView(v),
        );
      case "end":
        return adapt(
          shown,
          (s) => this.#ofEnd(s),
          (value) => new EndView(value),
        );
      case "ended":
        return new EndedView(shown.scene.conversation?.session.sessionId ?? "", row.notices, row.remarks ?? []);
      case "notice":
        return { element: separator(row.text), update: () => undefined };
      case "replaced":
        return adapt(
          shown,
          () => ({ size: row.items.length }),
          () => new ReplacedView((into) => this.#drawReplaced(into, row.items)),
        );
      case "question":
        return adapt(
          shown,
          (s) => this.#ofQuestion(s),
          (value) => new QuestionView(value),
        );
    }
  }

  #drawReplaced(into: HTMLElement, items: readonly Item[]): void {
    const scene = this.#scene;
    if (!scene) return;
    const rows = new Keyed<RowShown>(into, (shown) => this.#make(shown));
    rows.update(
      items.map((row) => ({ row, scene, last: false, resend: undefined, resume: undefined, rewinds: none })),
      keyOf,
    );
  }

  #ofEnd({ row, scene, resume }: RowShown) {
    const end = row as Extract<Row, { kind: "end" }>;
    const provider = scene.conversation?.session.model.split(":", 1)[0] ?? "";
    const isReady = scene.providers.find(({ name }) => name === provider)?.ready ?? true;
    const needsKey =
      end.stopReason === "error" && (!isReady || /(?:\b|_)key\b/i.test(`${end.cause ?? ""} ${end.hint ?? ""}`));
    const { takeText, hasText } = this.#deeds;
    return { end, canContinue: end.turnId === resume, needsKey, isLast: isLast(scene, end), takeText, hasText };
  }

  #ofQuestion({ row, scene }: RowShown) {
    const { question } = row as Extract<Row, { kind: "question" }>;
    const open = questions(scene);
    return { question, scene, place: open.indexOf(question) + 1, of: open.length, answered: this.#deeds.changed };
  }
}

const none: ReadonlySet<string> = new Set();

/** Nothing was said after that end. */
function isLast(scene: Scene, end: EndItem): boolean {
  const turn = scene.conversation?.items.findLast((item) => "turnId" in item);
  return scene.conversation?.turnId === undefined && turn !== undefined && "turnId" in turn && turn.turnId === end.turnId;
}

/** After a restart the same place can hold something else; what is drawn once must not stand for it. */
function keyOf({ row }: RowShown): string {
  return `${row.kind} ${row.key} ${"turnId" in row ? row.turnId : ""}`;
}

function ofPrompt({ row, scene, resend, rewinds }: RowShown) {
  const prompt = row as Extract<Row, { kind: "prompt" }>;
  const { turnId, blocks } = prompt;
  return { sessionId: scene.conversation?.session.sessionId ?? "", turnId, blocks, canResend: turnId === resend, canRewind: rewinds.has(turnId) };
}

function ofThought({ row, scene, last }: RowShown) {
  const { text } = row as Extract<Row, { kind: "thought" }>;
  return { text, isLive: last && scene.conversation?.turnId !== undefined };
}

/** A view of one kind of row: of is what it shows of the row. */
function adapt<T>(first: RowShown, of: (shown: RowShown) => T, make: (value: T) => Shown<T>): Shown<RowShown> {
  const view = make(of(first));
  return { element: view.element, update: (shown) => view.update(of(shown)) };
}
