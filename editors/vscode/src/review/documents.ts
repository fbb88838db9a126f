/**
 * The two documents of a diff. They come from the bridge's texts, and the editor
 * knows that they cannot be written to: saving one does nothing at all, where it
 * would offer to save a document of another kind over the file itself.
 */
import * as vscode from "vscode";
import { readReviewAddress, reviewAddress, reviewScheme } from "./address.ts";
import type { ChangeRef, Shown } from "./address.ts";
import { encode } from "./bytes.ts";
import { isMarked } from "./encoding.ts";
import { tabsOf } from "./tabs.ts";
import type { Texts, TextShelf } from "./texts.ts";

export function activateDocuments(shelf: TextShelf): vscode.Disposable {
  const files = new ReviewFiles(shelf);
  return vscode.Disposable.from(
    files, vscode.workspace.registerFileSystemProvider(reviewScheme, files, { isReadonly: true, isCaseSensitive: true }),
  );
}

class ReviewFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #shelf: TextShelf;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #owned: { dispose(): void };
  readonly onDidChangeFile = this.#changed.event;

  constructor(shelf: TextShelf) {
    this.#shelf = shelf;
    this.#owned = shelf.onChange((ref) => {
      this.#changed.fire(shownUris(ref).map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    });
  }

  dispose(): void {
    this.#owned.dispose();
    this.#changed.dispose();
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const mtime = this.#texts(uri)?.at ?? 0;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: this.readFile(uri).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const shown = readReviewAddress(uri)?.side;
    const texts = this.#texts(uri);
    return encode(texts && shown ? textOf(texts, shown) : "", isMarked(uri)); // of an earlier window: filled or closed when its session is back
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // every change is told
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #texts(uri: vscode.Uri): Texts | undefined {
    const ref = readReviewAddress(uri);
    return ref && this.#shelf.get(ref);
  }
}

function textOf(texts: Texts, shown: Shown): string {
  if (shown === "patch") return texts.diff;
  return shown === "new" ? texts.newText : texts.oldText;
}

function shownUris(ref: ChangeRef): vscode.Uri[] {
  const input = tabsOf(ref).map((t) => t.tab.input).find((i) => i instanceof vscode.TabInputTextDiff);
  if (!input) return [];
  return [
    vscode.Uri.from(reviewAddress(ref, input.original.path, "old")), // a renamed file's has the former name
    ...(["new", "base"] as const).map((side) => vscode.Uri.from(reviewAddress(ref, input.modified.path, side))),
  ];
}
