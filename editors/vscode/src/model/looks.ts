/**
 * When those who look at documents have said what they think of the present
 * text: they say it some time after a change, often in several pieces, and
 * nothing tells that it was the last. Where nobody ever said anything of a
 * language there is nobody to wait for. It knows no editor.
 */
import { Listeners } from "./listeners.ts";

export interface Paces {
  /** So long after a word no other has come: that was it. */
  readonly settleMs: number;
  /** So long is waited where nobody was heard of the language yet. */
  readonly unheardMs: number;
}

interface Document {
  /** Places in the order of what happened. */
  changed: number;
  said: number;
  /** When it was said. */
  saidAt: number;
}

export class Looks {
  readonly #paces: Paces;
  readonly #documents = new Map<string, Document>();
  readonly #languages = new Set<string>();
  readonly #news = new Listeners<[string]>();
  #count = 0;

  constructor(paces: Paces = { settleMs: 100, unheardMs: 150 }) {
    this.#paces = paces;
  }

  /** The text of a document became another. */
  changed(uri: string): void {
    this.#of(uri).changed = ++this.#count;
  }

  /** Somebody said something of a document. */
  said(uri: string, language: string | undefined): void {
    if (language !== undefined) this.#languages.add(language);
    Object.assign(this.#of(uri), { said: ++this.#count, saidAt: Date.now() });
    this.#news.fire(uri);
  }

  closed(uri: string): void {
    this.#documents.delete(uri);
  }

  /** Resolves when the present text was looked at, at the latest after waitMs. */
  settled(uri: string, language: string, waitMs: number): Promise<void> {
    const { settleMs, unheardMs } = this.#paces;
    return new Promise((resolve) => {
      let quiet: NodeJS.Timeout | undefined;
      let unheard: NodeJS.Timeout | undefined;
      const done = (): void => {
        for (const timer of [end, quiet, unheard]) clearTimeout(timer);
        listening.dispose();
        resolve();
      };
      const heard = (ms: number): void => {
        clearTimeout(unheard);
        clearTimeout(quiet);
        quiet = setTimeout(done, ms);
      };
      const end = setTimeout(done, waitMs);
      const listening = this.#news.add((of) => {
        if (of === uri) heard(settleMs);
      });
      const { changed, said, saidAt } = this.#of(uri);
      if (said > changed) heard(Math.max(0, settleMs - (Date.now() - saidAt)));
      else if (!this.#languages.has(language)) unheard = setTimeout(done, Math.min(unheardMs, waitMs));
    });
  }

  #of(uri: string): Document {
    let document = this.#documents.get(uri);
    if (!document) this.#documents.set(uri, (document = { changed: 0, said: 0, saidAt: 0 }));
    return document;
  }
}
