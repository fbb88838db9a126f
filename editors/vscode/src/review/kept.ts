/**
 * Applied hunks that a person looked at and keeps. The bridge need not know: to
 * keep is to leave as it is. So it is remembered here, for the sessions that
 * were reviewed last.
 */
import { Listeners } from "../model/listeners.ts";
import type { Disposable } from "../model/listeners.ts";

/** The part of the editor's memento that is used. */
export interface Store {
  get<T>(key: string): T | undefined;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** "all" also covers hunks that a change has no list of, such as those of an empty file. */
type KeptHunks = readonly string[] | "all";
interface SessionKept {
  readonly sessionId: string;
  readonly changes: { readonly [changeId: string]: KeptHunks };
}

const key = "drawbridge.kept";
const maxSessions = 50;

export class Kept {
  readonly #store: Store;
  readonly #changed = new Listeners<[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  has(sessionId: string, changeId: string, hunkId: string): boolean {
    const kept = this.#of(sessionId)[changeId];
    return kept === "all" || (kept?.includes(hunkId) ?? false);
  }

  hasAll(sessionId: string, changeId: string): boolean {
    return this.#of(sessionId)[changeId] === "all";
  }

  keep(sessionId: string, changeId: string, hunks: KeptHunks): void {
    const before = this.#of(sessionId)[changeId];
    if (before === "all") return;
    const after = hunks === "all" ? hunks : [...new Set([...(before ?? []), ...hunks])];
    this.#put(sessionId, { ...this.#of(sessionId), [changeId]: after });
  }

  onChange(f: () => void): Disposable {
    return this.#changed.add(f);
  }

  get #list(): readonly SessionKept[] {
    const stored = this.#store.get<readonly SessionKept[]>(key);
    return Array.isArray(stored) ? stored : [];
  }

  #of(sessionId: string): SessionKept["changes"] {
    return this.#list.find((s) => s.sessionId === sessionId)?.changes ?? {};
  }

  #put(sessionId: string, changes: SessionKept["changes"]): void {
    const others = this.#list.filter((s) => s.sessionId !== sessionId);
    void this.#store.update(key, [...others, { sessionId, changes }].slice(-maxSessions));
    this.#changed.fire();
  }
}
