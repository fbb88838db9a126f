/**
 * The texts of changes as the bridge has them, kept while a document shows them.
 * For a document with unsaved text the old one is that text, not the file's.
 */
import type { Link } from "../bridge/link.ts";
import { Listeners } from "../model/listeners.ts";
import type { Disposable } from "../model/listeners.ts";
import type { ChangeRef } from "./address.ts";
import { keyOf } from "./reviews.ts";

export interface Texts {
  readonly oldText: string;
  readonly newText: string;
  readonly diff: string;
  /** The whole texts are not kept any more; there is only the diff. */
  readonly gone: boolean;
  /** When they came; later texts have a later one. */
  readonly at: number;
}

export class TextShelf {
  readonly #link: Link;
  readonly #shelf = new Map<string, Texts>();
  readonly #changed = new Listeners<[ChangeRef]>();

  constructor(link: Link) {
    this.#link = link;
  }

  /** As they were last fetched. */
  get(ref: ChangeRef): Texts | undefined {
    return this.#shelf.get(keyOf(ref));
  }

  /** Asks the bridge; rejects with a BridgeError. */
  async fetch(ref: ChangeRef): Promise<Texts> {
    const { sessionId, changeId } = ref;
    const { change, diff, oldText, newText } = await this.#link.request("change/show", { sessionId, changeId, texts: true });
    const texts: Texts = {
      oldText: oldText ?? "", newText: newText ?? "", diff, at: Math.max(Date.now(), (this.get(ref)?.at ?? 0) + 1),
      gone: change.gone ?? (oldText === undefined && newText === undefined),
    };
    const before = this.get(ref);
    this.#shelf.set(keyOf(ref), texts);
    if (before?.oldText !== texts.oldText || before.newText !== texts.newText) this.#changed.fire(ref);
    return texts;
  }

  drop(ref: ChangeRef): void {
    this.#shelf.delete(keyOf(ref));
  }

  /** Another text came in the place of one that was there, or of none. */
  onChange(f: (ref: ChangeRef) => void): Disposable {
    return this.#changed.add(f);
  }
}
