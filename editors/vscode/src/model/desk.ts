/**
 * The desk holds the open questions. Each ends exactly once: with the answer of
 * a person who named it by its id, or withdrawn. Nothing else ends one: no
 * closed window, no lost focus, no other question's answer. Every session
 * counts its questions from one, so an id means something only with its session.
 */
import { Listeners } from "./listeners.ts";
import type { Disposable } from "./listeners.ts";
import type { ApprovalAnswer, ApprovalRequestParams } from "../protocol.gen.ts";

/** Names a question; a question names itself. */
export interface QuestionName {
  readonly sessionId: string;
  readonly approvalId: string;
}

interface Open {
  readonly question: ApprovalRequestParams;
  readonly settle: (answer: ApprovalAnswer) => void;
}

export class Desk {
  readonly #open = new Map<string, Open>();
  readonly #changed = new Listeners<[readonly ApprovalRequestParams[]]>();

  /** The open questions, in the order they were asked. */
  get pending(): readonly ApprovalRequestParams[] {
    return [...this.#open.values()].map((open) => open.question);
  }

  /**
   * Puts a question on the desk; withdrawn is called at once with a function
   * that takes it off again. A question that comes a second time under its id
   * replaces the first one, which then was not answered.
   */
  ask(question: ApprovalRequestParams, withdrawn: (f: () => void) => void): Promise<ApprovalAnswer> {
    const key = keyOf(question);
    this.#settle(key, unanswered);
    return new Promise((resolve) => {
      const open: Open = { question, settle: resolve };
      this.#open.set(key, open);
      this.#changed.fire(this.pending);
      withdrawn(() => {
        if (this.#open.get(key) === open) this.withdraw(question);
      });
    });
  }

  get(name: QuestionName): ApprovalRequestParams | undefined {
    return this.#open.get(keyOf(name))?.question;
  }

  /** False: the question is not open any more, and the answer counts for nothing. */
  answer(name: QuestionName, answer: ApprovalAnswer): boolean {
    if (!this.#settle(keyOf(name), answer)) return false;
    this.#changed.fire(this.pending);
    return true;
  }

  withdraw(name: QuestionName): void {
    if (this.#settle(keyOf(name), unanswered)) this.#changed.fire(this.pending);
  }

  /** Takes every question off, for the connection they came by is gone. */
  clear(): void {
    if (this.#open.size === 0) return;
    for (const key of [...this.#open.keys()]) this.#settle(key, unanswered);
    this.#changed.fire(this.pending);
  }

  onChange(f: (pending: readonly ApprovalRequestParams[]) => void): Disposable {
    return this.#changed.add(f);
  }

  #settle(key: string, answer: ApprovalAnswer): boolean {
    const open = this.#open.get(key);
    if (!open) return false;
    this.#open.delete(key);
    open.settle(answer);
    return true;
  }
}

function keyOf({ sessionId, approvalId }: QuestionName): string {
  return `${sessionId} ${approvalId}`;
}

const unanswered: ApprovalAnswer = { outcome: "dismissed" };
