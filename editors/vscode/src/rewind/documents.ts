/** What a rewind would do to a file, as a document that can be looked at and neither typed into nor saved. */
import * as vscode from "vscode";

const scheme = "drawbridge-rewind";

export class RewindDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #diffs = new Map<string, Uint8Array>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #owned: vscode.Disposable[];
  readonly onDidChangeFile = this.#changed.event;
  #count = 0;

  constructor() {
    this.#owned = [
      this.#changed,
      vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true, isCaseSensitive: true }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#diffs.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** Shows it beside the list that it is chosen from, which keeps the keyboard. */
  async show(fileUri: string, diff: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `${vscode.Uri.parse(fileUri).path}.diff`, query: String(++this.#count) });
    this.#diffs.set(uri.toString(), new TextEncoder().encode(diff));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
  }

  /** Closes what was shown: it is about files as they were then. */
  async close(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === scheme);
    if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).length };
  }

  /** Of an earlier window nothing is left. */
  readFile(uri: vscode.Uri): Uint8Array {
    return this.#diffs.get(uri.toString()) ?? new Uint8Array();
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // none ever changes
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
}
