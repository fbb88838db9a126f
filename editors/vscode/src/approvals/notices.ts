/**
 * When a message says that somebody waits for an answer. A message leads to the
 * questions and decides nothing; one stands for several, and one whose questions
 * are gone leads nowhere.
 */
import type { QuestionName } from "../model/desk.ts";
import { typedWords } from "../model/typed.ts";
import { sinceWords } from "../model/verdicts.ts";
import { headline } from "../model/visible.ts";
import type { ApprovalRequestParams } from "../protocol.gen.ts";

export interface NoticeDeps {
  /** Questions cannot be seen now, and the person wants to be told. */
  readonly wanted: () => boolean;
  /** The person wants to be reminded. That is so, too, when a question could be seen all the time. */
  readonly reminded: () => boolean;
  /** Shows a message; true when its button was clicked. */
  readonly show: (notice: Notice) => Promise<boolean>;
  /** Brings the question to the eye. */
  readonly lead: (question: ApprovalRequestParams) => void;
  readonly now: () => number;
  /** Runs f a little later, so that questions of one step are one message. */
  readonly later: (f: () => void) => void;
}

export interface Notice {
  readonly text: string;
  readonly weight: "information" | "warning";
  readonly button: "Review" | "Show";
}

/** After this a message has gone by itself, whether it was seen or not. */
const shownFor = 12_000;

export class Notices {
  readonly #deps: NoticeDeps;
  #pending: readonly ApprovalRequestParams[] = [];
  #fresh: ApprovalRequestParams[] = [];
  #overdue: ApprovalRequestParams[] = [];
  #last: { readonly at: number; readonly questions: readonly ApprovalRequestParams[] } | undefined;
  #scheduled = false;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  update(pending: readonly ApprovalRequestParams[]): void {
    this.#fresh.push(...pending.filter((q) => !this.#pending.includes(q)));
    this.#pending = pending;
    if (this.#fresh.length > 0) this.#schedule();
  }

  /** The question has waited for so long that the bridge says it again. */
  remind(name: QuestionName): void {
    const question = this.#pending.find((q) => q.sessionId === name.sessionId && q.approvalId === name.approvalId);
    if (!question) return;
    this.#overdue.push(question);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#deps.later(() => this.#tell());
  }

  #tell(): void {
    this.#scheduled = false;
    const fresh = this.#open(this.#fresh);
    const overdue = this.#open(this.#overdue);
    this.#fresh = [];
    this.#overdue = [];
    if (overdue.length > 0 && this.#deps.reminded()) return this.#show(reminderOf(this.#pending), overdue);
    if (fresh.length === 0 || !this.#deps.wanted() || this.#isShown()) return;
    this.#show(noticeOf(this.#pending), fresh); // older ones wait, too
  }

  #show(notice: Notice, about: readonly ApprovalRequestParams[]): void {
    const questions = this.#pending;
    this.#last = { at: this.#deps.now(), questions };
    void this.#deps.show(notice).then((clicked) => {
      const question = this.#open(about)[0] ?? this.#open(questions)[0];
      if (clicked && question) this.#deps.lead(question);
    });
  }

  #isShown(): boolean {
    return this.#last !== undefined && this.#deps.now() - this.#last.at < shownFor && this.#open(this.#last.questions).length > 0;
  }

  #open(questions: readonly ApprovalRequestParams[]): readonly ApprovalRequestParams[] {
    return questions.filter((q) => this.#pending.includes(q));
  }
}

function asksFor({ command, title, origin }: ApprovalRequestParams): string {
  if (command?.typedInto !== undefined) return ` to type into ${headline(command.typedInto)}: ${typedWords(command.text)}`;
  const what = headline(command?.text ?? title) + (origin ? ` (${headline(origin.subagentId)})` : "");
  return command?.escalation === undefined ? `: ${what}` : ` to run outside the sandbox: ${what}`;
}

export function noticeOf(questions: readonly ApprovalRequestParams[]): Notice {
  const weight = questions.some((q) => q.access === "execute") ? "warning" : "information";
  const [first] = questions;
  if (questions.length === 1 && first) return { text: `Drawbridge asks${asksFor(first)}`, weight, button: "Review" };
  return { text: `Drawbridge: ${questions.length} questions wait for you`, weight, button: "Review" };
}

/** All that wait, by the one that has waited longest. */
export function reminderOf(questions: readonly ApprovalRequestParams[]): Notice {
  const since = sinceWords(Math.min(...questions.map((q) => q.since)), Date.now());
  const [first] = questions;
  const what = questions.length === 1 && first ? `an answer${asksFor(first)}` : `${questions.length} answers`;
  return { text: `Drawbridge still waits for ${what} (${since})`, weight: "warning", button: "Show" };
}
