/**
 * Drafts are proposals that a person edits before accepting them. They live in
 * memory alone: saving one keeps the draft and neither accepts it nor writes a
 * file. A draft ends with its question; what is saved after that is refused by
 * an error that names the file itself.
 */
import * as vscode from "vscode";
import type { Desk } from "../model/desk.ts";
import { inertLabel } from "../model/inert.ts";
import { say } from "../say.ts";
import { commands, label } from "./actions.ts";
import { draftAddress, editScheme, reviewAddress } from "./address.ts";
import type { ChangeRef } from "./address.ts";
import { decode, encode, splitMark } from "./bytes.ts";
import { isMarked } from "./encoding.ts";
import { DraftFiles } from "./draft-files.ts";
import type { DraftFile } from "./draft-files.ts";
import { compose } from "./hunks.ts";
import type { ChangeApproval, MarkBook } from "./marks.ts";
import { changeTabs, close } from "./tabs.ts";
import type { Texts, TextShelf } from "./texts.ts";
import { tell } from "./trouble.ts";
import { nameOf } from "./words.ts";

export interface DraftDeps {
  readonly desk: Desk;
  readonly marks: MarkBook;
  readonly shelf: TextShelf;
}

interface Draft extends DraftFile {
  readonly ref: ChangeRef;
  readonly question: ChangeApproval;
  /** As it was first shown, without a byte order mark. */
  readonly start: string;
  readonly mark: string;
  accepted: boolean;
}

export class Drafts implements vscode.Disposable {
  readonly #deps: DraftDeps;
  readonly #files = new DraftFiles<Draft>();
  readonly #owned: vscode.Disposable[];
  readonly #opening = new Set<ChangeApproval>();
  /** Of an address that the editor still keeps text for, from an earlier window, none is made again. */
  #count = Date.now();

  constructor(deps: DraftDeps) {
    this.#deps = deps;
    this.#owned = [
      vscode.workspace.registerFileSystemProvider(editScheme, this.#files, { isCaseSensitive: true }),
      vscode.languages.registerCodeLensProvider({ scheme: editScheme }, { provideCodeLenses: (d) => this.#lenses(d) }),
      deps.desk.onChange((pending) => {
        for (const draft of this.#files.all) if (!pending.includes(draft.question)) void this.#end(draft);
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
        if (opened.length > 0) this.#clear();
      }),
    ];
    this.#clear();
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** Opens the draft of a proposal beside the text it would replace; the one that was begun, if there is one. */
  async open(question: ChangeApproval): Promise<void> {
    this.#opening.add(question);
    try {
      await this.#open(question);
    } finally {
      this.#opening.delete(question);
    }
  }

  /** The person asked for the draft and does not see it yet. Keys that come meanwhile were meant for it. */
  isOpening(question: ChangeApproval): boolean {
    return this.#opening.has(question);
  }

  async #open(question: ChangeApproval): Promise<void> {
    const ref: ChangeRef = { sessionId: question.sessionId, changeId: question.change.changeId };
    const draft = this.#files.all.find((d) => d.question === question) ?? this.#begin(ref, question, await this.#deps.shelf.fetch(ref));
    const document = await vscode.workspace.openTextDocument(draft.uri);
    const real = documentOf(vscode.Uri.parse(question.change.uri));
    if (real && real.languageId !== document.languageId) await vscode.languages.setTextDocumentLanguage(document, real.languageId);
    const base = vscode.Uri.from(reviewAddress(ref, draft.uri.path, "base"));
    await vscode.commands.executeCommand("vscode.diff", base, draft.uri, `${inertLabel(nameOf(question.change.uri))} (your edit of the proposal)`, {
      preview: false,
    });
    if (!this.#files.get(draft.uri)) await closeTabs(draft); // it was settled while the tab came up
  }

  /** Answers with the text as it is on the screen, saved or not. */
  accept(uri: vscode.Uri): void {
    const draft = this.#files.get(uri);
    const document = documentOf(uri);
    if (!draft || !document) throw new Error("nobody asks about this proposal any more");
    draft.accepted = this.#deps.marks.acceptText(draft.question, draft.mark + document.getText());
    if (!draft.accepted) throw new Error("nobody asks about this proposal any more");
  }

  /** Drops the draft; the question stays open. */
  async discard(uri: vscode.Uri): Promise<void> {
    const draft = this.#files.get(uri);
    if (draft) await this.#close(draft);
  }

  #begin(ref: ChangeRef, question: ChangeApproval, texts: Texts): Draft {
    if (!this.#deps.desk.pending.includes(question)) throw new Error("it is settled; edit the file itself");
    const marks = this.#deps.marks.marks(ref.changeId, ref.sessionId);
    const { start, mark } = begin(texts, question, new Set(Object.keys(marks).filter((id) => marks[id] === "reject")));
    const uri = vscode.Uri.from(draftAddress(ref, vscode.Uri.parse(question.change.uri).path, ++this.#count));
    const draft: Draft = { uri, ref, question, start, mark, bytes: encode(start, isMarked(uri)), mtime: Date.now(), accepted: false };
    this.#files.add(draft);
    return draft;
  }

  async #end(draft: Draft): Promise<void> {
    const text = documentOf(draft.uri)?.getText() ?? decode(draft.bytes);
    try {
      await this.#close(draft);
    } catch (thrown) {
      tell(`close the draft of ${nameOf(draft.question.change.uri)}`, thrown);
    }
    if (draft.accepted || text === draft.start) return;
    const message = `Drawbridge: the proposal for ${nameOf(draft.question.change.uri)} is settled, and your edit of it was not used.`;
    await offerText(message, text);
  }

  /** It is saved first, for closing would ask about unsaved text that has nowhere to go. */
  async #close(draft: Draft): Promise<void> {
    const document = documentOf(draft.uri);
    if (document?.isDirty) await document.save();
    this.#files.remove(draft);
    await closeTabs(draft);
  }

  /** Tabs of an earlier window, whose questions are gone. What is written there could go nowhere. */
  #clear(): void {
    for (const { draft, uri } of changeTabs()) {
      if (draft && !this.#files.get(uri) && !this.#files.isStray(uri)) void this.#clearStray(uri);
    }
  }

  async #clearStray(uri: vscode.Uri): Promise<void> {
    const name = nameOf(uri.path);
    const stray = this.#files.takeIn(uri);
    try {
      const document = await vscode.workspace.openTextDocument(uri); // with the unsaved text that the editor kept
      const text = document.getText();
      if (document.isDirty) await document.save();
      await closeTabs({ uri });
      if (text !== "") void offerText(`Drawbridge: the window was loaded anew, and your edit of the proposal for ${name} was not used.`, text);
    } catch (thrown) {
      tell(`close an old draft of ${name}`, thrown);
    } finally {
      stray.dispose();
    }
  }

  #lenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.#files.get(document.uri)) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    return [
      new vscode.CodeLens(top, { title: "Your edit of the proposal", command: "" }),
      new vscode.CodeLens(top, { title: label("check", "Accept edited text"), command: commands.acceptEdited, arguments: [document.uri] }),
      new vscode.CodeLens(top, {
        title: label("close", "Discard edit"), tooltip: "The proposal stays as it was", command: commands.discardEdited, arguments: [document.uri],
      }),
    ];
  }
}

/** What a person wrote is theirs, also when nothing came of it. */
async function offerText(message: string, text: string): Promise<void> {
  if ((await say("information", message, "Copy My Text")) === "Copy My Text") await vscode.env.clipboard.writeText(text);
}

function closeTabs(draft: { readonly uri: vscode.Uri }): Promise<void> {
  return close(changeTabs().filter((t) => t.draft && t.uri.toString() === draft.uri.toString()));
}

/** The proposal without what was rejected of it. */
function begin(texts: Texts, question: ChangeApproval, rejected: ReadonlySet<string>): { start: string; mark: string } {
  const ids = question.change.hunks.map((h) => h.hunkId);
  const whole = compose(texts.oldText, question.change.hunks, new Set(ids));
  const text = whole === texts.newText
    ? compose(texts.oldText, question.change.hunks, new Set(ids.filter((id) => !rejected.has(id))))
    : texts.newText;
  const split = splitMark(text);
  return { start: split.text, mark: split.mark };
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
}
