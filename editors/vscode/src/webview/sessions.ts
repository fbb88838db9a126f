/** The list of sessions, in the place of the conversation while it is open. */
import { Keyed, button, el, icon, setAttr, setHidden, setText } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { setSeen } from "./seen.ts";
import type { Scene } from "./scene.ts";
import { sessionState } from "./words.ts";
import { visible } from "../model/visible.ts";
import type { Session } from "../protocol.gen.ts";

interface Entry {
  readonly session: Session;
  readonly isCurrent: boolean;
}

export class SessionList {
  readonly element = el("section", { class: "sessions", hidden: true, attrs: { "aria-label": "Sessions" } });
  readonly #list = el("ul", { class: "session-list" });
  readonly #filter = el("input", {
    attrs: { type: "text", placeholder: "Filter sessions", "aria-label": "Filter sessions" },
  });
  readonly #empty = el("p", { class: "muted" });
  readonly #entries: Keyed<Entry>;
  readonly #closed: () => void;
  #scene: Scene | undefined;

  /** Closed gives the keyboard back. */
  constructor(closed: () => void) {
    this.#closed = closed;
    this.#entries = new Keyed(this.#list, (entry) => new SessionRow(entry, () => this.close()));
    const fresh = button({ label: "New session", icon: "add" }, () => {
      this.close();
      post({ kind: "newSession" });
    });
    this.element.append(el("div", { class: "sessions-head" }, this.#filter, fresh), this.#empty, this.#list);
    this.#filter.addEventListener("input", () => this.#draw());
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    this.#filter.value = "";
    setHidden(this.element, false);
    this.#draw();
    this.#filter.focus();
    post({ kind: "listSessions" });
  }

  close(): void {
    if (!this.isOpen) return;
    setHidden(this.element, true);
    this.#closed();
  }

  update(scene: Scene): void {
    this.#scene = scene;
    if (this.isOpen) this.#draw();
  }

  #draw(): void {
    const { sessions, conversation } = this.#scene ?? {};
    const wanted = this.#filter.value.trim().toLowerCase();
    const shown = (sessions ?? []).filter((s) => `${s.title} ${s.cwd} ${s.model}`.toLowerCase().includes(wanted));
    this.#entries.update(
      shown.map((session) => ({ session, isCurrent: session.sessionId === conversation?.session.sessionId })),
      ({ session }) => session.sessionId,
    );
    setHidden(this.#empty, shown.length > 0);
    setText(
      this.#empty,
      sessions === undefined ? "Looking…" : wanted ? "No session like it" : "No sessions yet. What you ask begins one.",
    );
  }

  #key(event: KeyboardEvent): void {
    const rows = [...this.#list.querySelectorAll<HTMLElement>("button")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") this.close();
    else if (event.key === "ArrowDown") rows[Math.min(rows.length - 1, at + 1)]?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? rows[at - 1] : this.#filter)?.focus();
    else if (event.key === "Enter" && document.activeElement === this.#filter) rows[0]?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

class SessionRow implements Shown<Entry> {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #title = el("span", { class: "session-title" });
  readonly #meta = el("span", { class: "session-meta" });
  readonly #mark = icon("comment");

  constructor({ session }: Entry, close: () => void) {
    this.#button = el(
      "button",
      { class: "session", title: visible(session.cwd), attrs: { type: "button" } },
      this.#mark,
      el("span", { class: "session-text" }, this.#title, this.#meta),
    );
    this.#button.addEventListener("click", () => {
      close();
      post({ kind: "loadSession", sessionId: session.sessionId });
    });
    this.element = el("li", {}, this.#button);
  }

  update({ session, isCurrent }: Entry): void {
    setSeen(this.#title, session.title || "Untitled");
    setText(this.#meta, sessionState(session, Date.now()));
    this.#mark.className = `codicon codicon-${markOf(session, isCurrent)}`;
    setAttr(this.#button, "aria-current", isCurrent ? "true" : null);
  }
}

function markOf(session: Session, isCurrent: boolean): string {
  if (session.state === "approval") return "question";
  if (session.state !== "idle") return "loading codicon-modifier-spin";
  return isCurrent ? "check" : "comment";
}
