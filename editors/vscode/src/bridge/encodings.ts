/** Tells one bridge how the editor spells the documents that are open. */
import * as vscode from "vscode";
import { EncodingNews } from "../model/encodings.ts";
import type { DocumentEncodingParams } from "../protocol.gen.ts";

export class Encodings implements vscode.Disposable {
  readonly #tell: (news: DocumentEncodingParams) => void;
  readonly #news = new EncodingNews();
  readonly #open = new Set<string>();
  readonly #listening: vscode.Disposable;

  constructor(tell: (news: DocumentEncodingParams) => void) {
    this.#tell = tell;
    // Another encoding alone is a change without any content.
    this.#listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0 && this.#open.has(document.uri.toString())) this.#say(document);
    });
  }

  /** The bridge has heard that the document is open. */
  opened(document: vscode.TextDocument): void {
    this.#open.add(document.uri.toString());
    this.#say(document);
  }

  closed(document: vscode.TextDocument): void {
    this.#open.delete(document.uri.toString());
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #say({ uri, encoding }: vscode.TextDocument): void {
    const name = this.#news.of(uri.toString(), encoding);
    if (name !== undefined) this.#tell({ uri: uri.toString(), encoding: name });
  }
}
