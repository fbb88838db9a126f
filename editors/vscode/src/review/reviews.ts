/**
 * Reviews joins what is asked about with what was applied unasked: the changes
 * that a person has something to say about, in the order they came up.
 */
import type { Verdict } from "../conversation/messages.ts";
import { Listeners } from "../model/listeners.ts";
import type { Disposable } from "../model/listeners.ts";
import type { Desk } from "../model/desk.ts";
import type { Sessions } from "../model/sessions.ts";
import type { ChangeKind, ChangeState, ChangeUpdated, Hunk } from "../protocol.gen.ts";
import type { ChangeApproval, MarkBook } from "./marks.ts";

export interface Review {
  readonly sessionId: string;
  readonly changeId: string;
  readonly turnId: string;
  readonly uri: string;
  /** Its name before, of a rename. */
  readonly from?: string;
  /** No tool planned it: a command did it, or somebody while one ran. */
  readonly byCommand?: boolean;
  readonly kind: ChangeKind;
  readonly state: ChangeState;
  readonly why?: string;
  /** What stands is a text of the person's own. */
  readonly edited?: boolean;
  /**
   * Waiting: it is asked about. Applied: it stands, and about some of it nobody
   * has decided. Settled: nothing is left to decide; what stands can still be undone.
   */
  readonly phase: "waiting" | "applied" | "settled";
  /** Those that the shown texts differ by, in the order of the file. */
  readonly hunks: readonly Hunk[];
  /** Those that its size is told by, where that is not all: of what was taken back in whole, what stood. */
  readonly counted?: readonly Hunk[];
  readonly verdicts: { readonly [hunkId: string]: Verdict };
  readonly base: string;
  /** Its texts are no longer kept. */
  readonly gone: boolean;
  /** While it waits. */
  readonly question?: ChangeApproval;
}

/** Names a change across sessions. */
export function keyOf(change: { readonly sessionId: string; readonly changeId: string }): string {
  return `${change.sessionId}/${change.changeId}`;
}

/** Hunks that nothing was decided about. */
export function undecided(review: Review): readonly Hunk[] {
  return review.hunks.filter((h) => review.verdicts[h.hunkId] === undefined);
}

export class Reviews {
  readonly #desk: Desk;
  readonly #sessions: Sessions;
  readonly #marks: MarkBook;
  readonly #changed = new Listeners<[]>();
  readonly #owned: Disposable[];
  #all: readonly Review[] = [];

  constructor(deps: { desk: Desk; sessions: Sessions; marks: MarkBook }) {
    this.#desk = deps.desk;
    this.#sessions = deps.sessions;
    this.#marks = deps.marks;
    const refresh = (): void => this.#refresh();
    this.#owned = [
      deps.desk.onChange(refresh), deps.marks.onChange(refresh), deps.sessions.onShown(refresh),
      deps.sessions.onUpdate((_, update) => {
        if (update.kind === "replaced" || (update.kind === "event" && update.method === "change/updated")) refresh();
      }),
    ];
    this.#all = this.#collect();
  }

  /** Whatever waits, of every session, then every other change of the session that is shown and of its subagents. */
  get all(): readonly Review[] {
    return this.#all;
  }

  /** Whatever waits, then what the shown session applied and nobody has decided about. */
  get open(): readonly Review[] {
    return this.#all.filter((r) => r.phase !== "settled");
  }

  get waiting(): readonly Review[] {
    return this.#all.filter((r) => r.phase === "waiting");
  }

  /** Settled changes of the shown session, newest first. */
  get settled(): readonly Review[] {
    return this.#all.filter((r) => r.phase === "settled").toReversed();
  }

  /** The change as it is now; undefined where nothing is known of it, as between an answer and what it did. */
  find(sessionId: string, changeId: string): Review | undefined {
    const question = this.#marks.question(changeId, { sessionId });
    if (question) return this.#ofQuestion(question);
    const change = this.#sessions.get(sessionId)?.changes[changeId];
    return change && this.#ofChange(change);
  }

  /** Something of what waits or of the shown session's changes became different, settled ones too: one may be taken back. */
  onChange(f: () => void): Disposable {
    return this.#changed.add(f);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** Marks, answers and events say the same thing several times over; it is told on once. */
  #refresh(): void {
    const all = this.#collect();
    const same = all.length === this.#all.length && all.every((r, i) => signature(r) === signature(this.#all[i]));
    this.#all = all;
    if (!same) this.#changed.fire();
  }

  #collect(): readonly Review[] {
    const waiting = this.#desk.pending.filter((q): q is ChangeApproval => q.change !== undefined);
    const asked = new Set(waiting.map((q) => keyOf({ sessionId: q.sessionId, changeId: q.change.changeId })));
    const { current } = this.#sessions;
    const shown = current ? [current, ...this.#sessions.childrenOf(current.session.sessionId)] : [];
    const others = shown.flatMap(({ changes }) => Object.values(changes)).filter((c) => !asked.has(keyOf(c)));
    return [...waiting.map((q) => this.#ofQuestion(q)), ...others.map((c) => this.#ofChange(c))];
  }

  #ofQuestion(question: ChangeApproval): Review {
    const { sessionId, turnId, change } = question;
    const { changeId, uri, kind, hunks, base } = change;
    return {
      sessionId, changeId, turnId, uri, kind, hunks, base, question, state: "proposed", phase: "waiting", gone: false,
      verdicts: this.#marks.marks(changeId, sessionId),
    };
  }

  /** Which hunks a person keeps the bridge knows, so that a change looks the same in every window and after a reload. */
  #ofChange(change: ChangeUpdated): Review {
    const { sessionId, changeId, turnId, uri, from, byCommand, kind, state, base, why, edited } = change;
    const isThere = state === "applied" || state === "partly";
    const hunks = isThere ? change.hunks.filter((h) => h.state !== "rejected") : change.hunks;
    const verdicts: { [hunkId: string]: Verdict } = {};
    for (const { hunkId, state: is } of hunks) {
      if (!isThere) verdicts[hunkId] = "reject";
      else if (is === "kept") verdicts[hunkId] = "accept";
    }
    const gone = change.gone ?? false;
    const stood = state === "reverted" ? this.#sessions.get(sessionId)?.stood[changeId] : undefined;
    return {
      sessionId, changeId, turnId, uri, kind, state, base, hunks, verdicts, gone, ...(from && { from }), ...(byCommand && { byCommand }),
      ...(why && { why }), ...(edited && { edited }), ...(stood && { counted: hunks.filter((h) => stood.includes(h.hunkId)) }),
      phase: isThere && !gone && (change.undecided ?? 0) > 0 ? "applied" : "settled",
    };
  }
}

function signature(r: Review | undefined): string {
  return r ? [keyOf(r), r.phase, r.state, r.base, r.edited, r.question?.approvalId, JSON.stringify(r.verdicts)].join(" ") : "";
}
