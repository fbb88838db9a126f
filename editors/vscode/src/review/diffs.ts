/**
 * Diffs opens changes in the editor's own diff view and keeps what is open true:
 * it shows a proposal that was made anew, and closes when nothing is left to
 * decide. Closing one decides nothing.
 */
import * as vscode from "vscode";
import type { Link } from "../bridge/link.ts";
import type { Sessions } from "../model/sessions.ts";
import { tell as tellPerson } from "../say.ts";
import { readReviewAddress, reviewAddress } from "./address.ts";
import type { ChangeRef, Shown } from "./address.ts";
import { stands } from "./actions.ts";
import { endingOf } from "./endings.ts";
import type { Ending } from "./endings.ts";
import { linesOf } from "./hunks.ts";
import type { ChangeApproval } from "./marks.ts";
import { keyOf, undecided } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { activeChange, changeTabs, close, tabsOf } from "./tabs.ts";
import type { ChangeTab } from "./tabs.ts";
import type { TextShelf } from "./texts.ts";
import { tell } from "./trouble.ts";
import { diffTitle, endWords, goneWords, nameOf } from "./words.ts";

export interface DiffDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly reviews: Reviews;
  readonly shelf: TextShelf;
}

/** What an open diff shows. */
interface Open {
  readonly ref: ChangeRef;
  readonly uri: string;
  title: string;
  base: string;
  phase: Review["phase"];
  /** The question it shows, also after the answer until its effect is known. */
  question: ChangeApproval | undefined;
  /** The person acted in this diff, so the file is what they want to see next. */
  acted: boolean;
  /** Nothing is left to decide: its tab closes, also one that comes up only now. */
  ended: boolean;
}

export class Diffs implements vscode.Disposable {
  readonly #deps: DiffDeps;
  readonly #open = new Map<string, Open>();
  readonly #owned: vscode.Disposable[];
  readonly #changed = new vscode.EventEmitter<void>();
  /** The diff of a change came up, or shows something else. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: DiffDeps) {
    this.#deps = deps;
    this.#owned = [
      this.#changed,
      deps.reviews.onChange(() => this.#followAll()),
      deps.sessions.onUpdate((id, update) => {
        if (update.kind === "replaced") void this.#restore(id);
      }),
      deps.link.onEvent((method, params) => {
        for (const open of [...this.#open.values()]) {
          const ending = open.question && endingOf(open.question, method, params);
          if (ending && ending.kind !== "superseded") void this.#end(open, ending);
        }
      }),
      deps.link.onConnection((c) => {
        if (c.kind !== "ready") this.#cutOff();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
    ];
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  async open(ref: ChangeRef, options: { readonly hunkId?: string; readonly preserveFocus?: boolean } = {}): Promise<void> {
    const texts = await this.#deps.shelf.fetch(ref);
    const review = this.#deps.reviews.find(ref.sessionId, ref.changeId);
    if (texts.gone) return this.#openPatch(ref, review, texts.diff);
    if (!review) throw new Error("it is just being settled; try again");
    const open = this.#enter(review, diffTitle(review), review.base);
    const hunk = review.hunks.find((h) => h.hunkId === options.hunkId) ?? undecided(review)[0] ?? review.hunks[0];
    const line = hunk ? linesOf(hunk, "new").start : 0;
    await this.#show(open, review, {
      preview: false, preserveFocus: options.preserveFocus ?? false, selection: new vscode.Range(line, 0, line, 0),
    });
    this.#changed.fire();
  }

  /** Remembers that a decision was made in the diff itself, if it was. */
  actedIn(ref: ChangeRef): void {
    const active = activeChange();
    const open = this.#open.get(keyOf(ref));
    if (open && active && keyOf(active.ref) === keyOf(ref)) open.acted = true;
  }

  /** The question was answered, and what was done of it is not known yet. */
  isUnderWay(ref: ChangeRef): boolean {
    const open = this.#open.get(keyOf(ref));
    return open?.question !== undefined && this.#deps.reviews.find(ref.sessionId, ref.changeId)?.question === undefined;
  }

  /** Tabs of an earlier window, once their session is back: what can be reviewed still is shown, the others close. */
  async #restore(sessionId: string): Promise<void> {
    if (this.#deps.link.connection.kind !== "ready") return;
    const left = changeTabs().filter((t) => t.ref.sessionId === sessionId && !t.draft && !this.#open.has(keyOf(t.ref)));
    for (const { ref, tab } of left) {
      const review = this.#deps.reviews.find(ref.sessionId, ref.changeId);
      if (!review || !stands(review)) continue;
      this.#enter(review, tab.label, "");
      this.#follow(keyOf(ref));
    }
    await close(left.filter((t) => !this.#open.has(keyOf(t.ref))));
  }

  #enter(review: Review, title: string, base: string): Open {
    const { sessionId, changeId, uri, phase, question } = review;
    const open: Open = { ref: { sessionId, changeId }, uri, title, base, phase, question, acted: false, ended: false };
    this.#open.set(keyOf(review), open);
    return open;
  }

  async #show(open: Open, review: Review, options: vscode.TextDocumentShowOptions): Promise<void> {
    const side = (shown: Shown, uri: string): vscode.Uri => vscode.Uri.from(reviewAddress(review, vscode.Uri.parse(uri).path, shown));
    const [old, now] = [side("old", review.from ?? review.uri), side("new", review.uri)];
    await vscode.commands.executeCommand("vscode.diff", old, now, open.title, options);
    if (open.ended) await close(reviewTabs(open.ref));
    else this.#open.set(keyOf(open.ref), open); // a tab that made way for this one may have taken it out
  }

  async #openPatch(ref: ChangeRef, review: Review | undefined, diff: string): Promise<void> {
    if (!diff) throw new Error(review ? goneWords(review) : "its texts are not kept any more");
    const path = review ? vscode.Uri.parse(review.uri).path : "/change";
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from(reviewAddress(ref, path, "patch")));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  #followAll(): void {
    for (const key of [...this.#open.keys()]) this.#follow(key);
    this.#changed.fire();
  }

  /** Shows a change as it is now. */
  #follow(key: string): void {
    const open = this.#open.get(key);
    const review = open && this.#deps.reviews.find(open.ref.sessionId, open.ref.changeId);
    if (!open || !review || (open.question && !review.question)) return; // its end is told by an event
    if (open.phase !== "settled" && review.phase === "settled") {
      void this.#end(open, { kind: review.state === "applied" || review.state === "partly" ? "applied" : "rejected" });
      return;
    }
    const anew = open.question !== undefined && open.question !== review.question;
    const stale = open.base !== review.base || anew;
    open.question = review.question;
    open.phase = review.phase;
    open.base = review.base;
    if (stale) void this.#refresh(open, review, anew);
  }

  async #refresh(open: Open, review: Review, anew: boolean): Promise<void> {
    try {
      await this.#deps.shelf.fetch(open.ref);
      if (anew) say(endWords(open.uri, { kind: "superseded" }));
      const title = diffTitle(review);
      if (title !== open.title) await this.#retitle(open, review, title);
      this.#changed.fire();
    } catch (thrown) {
      tell(`show what ${nameOf(open.uri)} is now`, thrown);
    }
  }

  /** A tab's title is fixed when it is opened. One in the background keeps the old title rather than come forward. */
  async #retitle(open: Open, review: Review, title: string): Promise<void> {
    const tabs = reviewTabs(open.ref);
    const front = tabs.find((t) => t.tab.isActive);
    if (!front) return;
    const viewColumn = front.tab.group.viewColumn;
    const preserveFocus = !front.tab.group.isActive || activeChange() === undefined;
    open.title = title;
    await close(tabs);
    await this.#show(open, review, { preview: false, viewColumn, preserveFocus });
  }

  async #end(open: Open, ending: Ending): Promise<void> {
    open.ended = true;
    this.#open.delete(keyOf(open.ref));
    const tabs = reviewTabs(open.ref);
    try {
      if (tabs.length > 0) say(endWords(open.uri, ending));
      if (ending.kind === "applied" && open.acted) await showFile(open, tabs[0]?.tab.group.viewColumn);
      await close(tabs);
      this.#deps.shelf.drop(open.ref);
    } catch (thrown) {
      tell(`close the review of ${nameOf(open.uri)}`, thrown);
    }
    this.#changed.fire();
  }

  #cutOff(): void {
    for (const open of [...this.#open.values()]) {
      if (open.question) void this.#end(open, { kind: "withdrawn", cause: "the bridge has stopped" });
    }
  }

  #forget(document: vscode.TextDocument): void {
    const ref = readReviewAddress(document.uri);
    if (!ref || reviewTabs(ref).length > 0) return;
    this.#open.delete(keyOf(ref));
    this.#deps.shelf.drop(ref);
  }
}

function reviewTabs(ref: ChangeRef): ChangeTab[] {
  return tabsOf(ref).filter((t) => !t.draft);
}

/** The file itself takes the diff's place, so that what is saved from here on is the file. */
async function showFile(open: Open, viewColumn: vscode.ViewColumn | undefined): Promise<void> {
  const uri = vscode.Uri.parse(open.uri);
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
  try {
    await vscode.window.showTextDocument(uri, {
      preview: true, selection: new vscode.Range(line, 0, line, 0), ...(viewColumn !== undefined && { viewColumn }),
    });
  } catch {
    // It was deleted by the change, or since.
  }
}

function say(message: string | undefined): void {
  if (message) tellPerson("information", `Drawbridge: ${message}`);
}
