/**
 * What a person decided about the hunks of changes that are asked about. A
 * question is answered the moment its last hunk is decided, and only then; a
 * mark is of one question, so a change that is asked about anew starts afresh.
 */
import type { Marks, Verdict } from "../conversation/messages.ts";
import { Listeners } from "../model/listeners.ts";
import type { Disposable } from "../model/listeners.ts";
import type { Desk } from "../model/desk.ts";
import type { ApprovalAnswer, ApprovalRequestParams, ChangeQuestion } from "../protocol.gen.ts";

/** A question about a change. */
export type ChangeApproval = ApprovalRequestParams & { readonly change: ChangeQuestion };

/**
 * Which question about a change is meant. Change ids mean something only with
 * their session; where no session is named, the newest open question about a
 * change of that id is meant. A click names its question, too: the one that has
 * taken its place since shows another text, and is not decided by it.
 */
export interface Of {
  readonly sessionId?: string;
  readonly approvalId?: string;
}

export class MarkBook {
  readonly #desk: Desk;
  readonly #marks = new Map<ApprovalRequestParams, { [hunkId: string]: Verdict }>();
  readonly #changed = new Listeners<[string]>();

  constructor(desk: Desk) {
    this.#desk = desk;
    desk.onChange((pending) => this.#forget(pending));
  }

  marks(changeId: string, sessionId?: string): Marks {
    const question = this.question(changeId, sessionId === undefined ? {} : { sessionId });
    return (question && this.#marks.get(question)) ?? {};
  }

  /** The open question about a change; absent when nobody asks about it. */
  question(changeId: string, { sessionId, approvalId }: Of = {}): ChangeApproval | undefined {
    return this.#desk.pending.findLast((q): q is ChangeApproval => q.change?.changeId === changeId
      && (sessionId === undefined || q.sessionId === sessionId) && (approvalId === undefined || q.approvalId === approvalId));
  }

  /** Decides about one hunk, or takes the decision back with null. False: the question is not open any more. */
  mark(changeId: string, hunkId: string, verdict: Verdict | null, of: Of = {}): boolean {
    const question = this.question(changeId, of);
    if (!question?.change.hunks.some((h) => h.hunkId === hunkId)) return false;
    const marks = { ...this.#marks.get(question) };
    if (verdict === null) delete marks[hunkId];
    else marks[hunkId] = verdict;
    this.#set(question, marks);
    return true;
  }

  /** Decides about every hunk that is undecided, and so answers. False: the question is not open any more. */
  markAll(changeId: string, verdict: Verdict, of: Of = {}, comment?: string): boolean {
    const question = this.question(changeId, of);
    if (!question) return false;
    const marks = { ...this.#marks.get(question) };
    for (const { hunkId } of question.change.hunks) marks[hunkId] ??= verdict;
    // A change without hunks, such as an empty new file, has nothing else to go by.
    if (question.change.hunks.length === 0) this.#answer(question, wholeAnswer(question, verdict), comment);
    else this.#set(question, marks, comment);
    return true;
  }

  /** Accepts a text of the person's own in place of the proposal. False: nobody asks any more. */
  acceptText(question: ApprovalRequestParams, text: string): boolean {
    const optionId = optionOf(question, "allow");
    return optionId !== undefined && this.#answer(question, { outcome: "selected", optionId, text });
  }

  onChange(f: (changeId: string) => void): Disposable {
    return this.#changed.add(f);
  }

  #set(question: ChangeApproval, marks: { [hunkId: string]: Verdict }, comment?: string): void {
    const answer = answerOf(question, marks);
    if (answer && this.#answer(question, answer, comment)) return;
    this.#marks.set(question, marks);
    this.#changed.fire(question.change.changeId);
  }

  /** Counts only while this very question is open: another may have its id by now. */
  #answer(question: ApprovalRequestParams, answer: ApprovalAnswer, comment?: string): boolean {
    if (!this.#desk.pending.includes(question)) return false;
    return this.#desk.answer(question, comment ? { ...answer, comment } : answer);
  }

  #forget(pending: readonly ApprovalRequestParams[]): void {
    for (const question of [...this.#marks.keys()]) {
      if (pending.includes(question)) continue;
      this.#marks.delete(question);
      if (question.change) this.#changed.fire(question.change.changeId);
    }
  }
}

/** The answer that marks amount to; undefined while a hunk is undecided. */
export function answerOf(question: ChangeApproval, marks: Marks): ApprovalAnswer | undefined {
  const ids = question.change.hunks.map((h) => h.hunkId);
  if (ids.some((id) => marks[id] === undefined)) return undefined;
  const accepted = ids.filter((id) => marks[id] === "accept");
  const answer = wholeAnswer(question, accepted.length > 0 ? "accept" : "reject");
  return accepted.length > 0 ? { ...answer, hunks: accepted } : answer;
}

function wholeAnswer(question: ApprovalRequestParams, verdict: Verdict): ApprovalAnswer {
  const optionId = optionOf(question, verdict === "accept" ? "allow" : "deny");
  return optionId === undefined ? { outcome: "dismissed" } : { outcome: "selected", optionId };
}

/** The option that holds for this effect alone. */
function optionOf(question: ApprovalRequestParams, kind: "allow" | "deny"): string | undefined {
  return question.options.find((o) => o.kind === kind && o.scope === "once")?.optionId;
}
