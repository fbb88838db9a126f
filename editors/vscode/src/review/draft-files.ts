/**
 * The files of drafts: in memory, and each for as long as its question is open.
 * Their folders are said to be there, for an editor that does not find a file
 * asks for its folder before it tries to write, and its own words about that
 * help nobody.
 */
import * as vscode from "vscode";
import { isAboveDraft } from "./address.ts";

export interface DraftFile {
  readonly uri: vscode.Uri;
  bytes: Uint8Array;
  mtime: number;
}

export class DraftFiles<D extends DraftFile> implements vscode.FileSystemProvider {
  readonly #drafts = new Map<string, D>();
  readonly #strays = new Map<string, DraftFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  get all(): readonly D[] {
    return [...this.#drafts.values()];
  }

  get(uri: vscode.Uri): D | undefined {
    return this.#drafts.get(uri.toString());
  }

  add(draft: D): void {
    this.#drafts.set(draft.uri.toString(), draft);
  }

  remove(draft: D): void {
    this.#drafts.delete(draft.uri.toString());
  }

  /** Takes what is saved under an address that no draft has, until it is closed. */
  takeIn(uri: vscode.Uri): vscode.Disposable {
    this.#strays.set(uri.toString(), { uri, bytes: new Uint8Array(), mtime: 0 });
    return new vscode.Disposable(() => void this.#strays.delete(uri.toString()));
  }

  isStray(uri: vscode.Uri): boolean {
    return this.#strays.has(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (isAboveDraft(uri)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const { bytes, mtime } = this.#find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const draft = this.get(uri) ?? this.#strays.get(uri.toString());
    if (!draft) {
      throw vscode.FileSystemError.NoPermissions(`This proposal is settled; nothing was written. Edit the file itself: ${uri.fsPath}`);
    }
    draft.bytes = content;
    draft.mtime = Date.now();
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // nobody else writes to a draft
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    // It is there as much as it need be.
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #find(uri: vscode.Uri): DraftFile {
    const draft = this.get(uri) ?? this.#strays.get(uri.toString());
    if (!draft) throw vscode.FileSystemError.FileNotFound(`This proposal is settled. The file itself is ${uri.fsPath}`);
    return draft;
  }
}
