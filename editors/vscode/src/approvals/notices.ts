/**
 * When a message says that somebody waits for an answer. A message leads to the
 * questions and decides nothing; one stands for several, and one whose questions
 * are gone leads nowhere.
 */
import { typedWords } from "../model/typed.ts";
import { headline } from "../model/visible.ts";
import type { ApprovalRequestParams } from "../protocol.gen.ts";

export interface NoticeDeps {
  /** Questions cannot be seen now, and the person wants to be told. */
  readonly wanted: () => boolean;
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
}

/** After this a message has gone by itself, whether it was seen or not. */
const shownFor = 12_000;

export class Notices {
  readonly #deps: NoticeDeps;
  #pending: readonly ApprovalRequestParams[] = [];
  #fresh: ApprovalRequestParams[] = [];
  #last: { readonly at: number; readonly questions: readonly ApprovalRequestParams[] } | undefined;
  #scheduled = false;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  update(pending: readonly ApprovalRequestParams[]): void {
    this.#fresh.push(...pending.filter((q) => !this.#pending.includes(q)));
    this.#pending = pending;
    if (this.#fresh.length === 0 || this.#scheduled) return;
    this.#scheduled = true;
    this.#deps.later(() => this.#tell());
  }

  #tell(): void {
    this.#scheduled = false;
    const fresh = this.#open(this.#fresh);
    this.#fresh = [];
    if (fresh.length === 0 || !this.#deps.wanted() || this.#isShown()) return;
    const questions = this.#pending; // older ones wait, too
    this.#last = { at: this.#deps.now(), questions };
    void this.#deps.show(noticeOf(questions)).then((clicked) => {
      const question = this.#open(fresh)[0] ?? this.#open(questions)[0];
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

function asksFor({ command, title }: ApprovalRequestParams): string {
  if (command?.typedInto !== undefined) return ` to type into ${headline(command.typedInto)}: ${typedWords(command.text)}`;
  const what = headline(command?.text ?? title);
  return command?.escalation === undefined ? `: ${what}` : ` to run outside the sandbox: ${what}`;
}

export function noticeOf(questions: readonly ApprovalRequestParams[]): Notice {
  const weight = questions.some((q) => q.access === "execute") ? "warning" : "information";
  const [first] = questions;
  if (questions.length === 1 && first) return { text: `Drawbridge asks${asksFor(first)}`, weight };
  return { text: `Drawbridge: ${questions.length} questions wait for you`, weight };
}
