/** What a screen reader is told: states and questions, one line each, and never the text that streams in. */
import { el, setText } from "./elements.ts";
import { endedOf } from "./ended.ts";
import { isRunning, questions } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { endLine } from "./words.ts";
import { headline } from "../model/visible.ts";
import type { Notice } from "../protocol.gen.ts";

export class Announcer {
  readonly element = el("div", { class: "spoken", attrs: { role: "status", "aria-live": "polite" } });
  #sessionId: string | undefined;
  #turnId: string | undefined;
  #asked = new Set<string>();
  /** The commands of the foreground that wait for typing. */
  #waiting = new Set<string>();
  /** How much of the conversation was looked at for ends of commands. */
  #looked = 0;

  say(text: string): void {
    // The same words twice are only read again when the text changed.
    setText(this.element, this.element.textContent === text ? `${text}\u00a0` : text);
  }

  update(scene: Scene): void {
    const { conversation } = scene;
    const open = questions(scene);
    const fresh = open.filter(({ approvalId }) => !this.#asked.has(approvalId));
    const isSame = conversation?.session.sessionId === this.#sessionId;
    const news = this.#newsOf(scene);
    const began = isRunning(scene) && conversation?.turnId !== this.#turnId;
    const ended = !isRunning(scene) && this.#turnId !== undefined;
    const turnId = this.#turnId;
    this.#sessionId = conversation?.session.sessionId;
    this.#turnId = conversation?.turnId;
    this.#asked = new Set(open.map(({ approvalId }) => approvalId));
    const asked = fresh.map(({ title, origin }) => `Question${origin ? ` of ${headline(origin.subagentId)}` : ""}: ${headline(title)}`);
    const lines = isSame ? [...news, ...asked] : asked;
    if (lines.length > 0) this.say(lines.join(". "));
    else if (isSame && began) this.say("Working");
    else if (isSame && ended) this.say(endOf(scene, turnId));
  }

  /** What commands did since the last time. */
  #newsOf({ conversation, children }: Scene): string[] {
    const all = conversation ? [conversation, ...Object.values(children)] : [];
    const waiting = all.flatMap(({ terminals }) => Object.values(terminals)).filter((t) => t.waiting && !t.background);
    const began = waiting.filter((t) => !this.#waiting.has(t.terminalId));
    this.#waiting = new Set(waiting.map((t) => t.terminalId));
    const items = conversation?.items ?? [];
    const ended = items.slice(this.#looked).flatMap((item) => (item.kind === "ended" ? item.notices : []));
    this.#looked = items.length;
    return [...began.map((t) => waitsWords(t.title)), ...ended.map(endedWords)];
  }
}

const waitsWords = (title: string): string => `${headline(title, "code")} waits for typing`;
const endedWords = (notice: Notice): string => `${endedOf(notice)}: ${headline(notice.title, "code")}, ${notice.detail}`;

/** A turn that went down with its bridge has no end yet; the end of an older one is no news. */
function endOf(scene: Scene, turnId: string | undefined): string {
  const end = scene.conversation?.items.findLast((item) => item.kind === "end");
  if (end?.kind === "end" && end.turnId === turnId) return endLine(end.stopReason, end.cause);
  return scene.connection.kind === "ready" ? "Finished" : "Drawbridge ended and is started again";
}
