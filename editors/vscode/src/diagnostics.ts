/** What the editor's other extensions say of a document, for the bridge to hand on to the model. */
import * as vscode from "vscode";
import { Looks } from "./model/looks.ts";
import type { Diagnostic, EditorDiagnosticsParams, EditorDiagnosticsResult, Severity } from "./protocol.gen.ts";

export class Diagnostics implements vscode.Disposable {
  readonly #looks = new Looks();
  readonly #owned: vscode.Disposable[];

  constructor() {
    this.#owned = [
      vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.#said(uri))),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#looks.changed(document.uri.toString());
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#looks.closed(uri.toString())),
    ];
    for (const [uri] of vscode.languages.getDiagnostics()) this.#said(uri); // before this extension began
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** Of a document that is not open nothing is known. */
  async of({ uri, waitMs }: EditorDiagnosticsParams, token: vscode.CancellationToken): Promise<EditorDiagnosticsResult> {
    const document = find(vscode.Uri.parse(uri));
    if (!document) return { diagnostics: [] };
    if (waitMs > 0) await Promise.race([this.#looks.settled(document.uri.toString(), document.languageId, waitMs), cancelled(token)]);
    return { diagnostics: vscode.languages.getDiagnostics(document.uri).filter(isOthers).map(toWire) };
  }

  #said(uri: vscode.Uri): void {
    const document = find(uri);
    if (document) this.#looks.said(uri.toString(), document.languageId);
  }
}

function find(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((d) => d.uri.toString() === wanted);
}

/** The bridge shows pending changes to some editors as diagnostics of its own. */
function isOthers({ source }: vscode.Diagnostic): boolean {
  return source?.toLowerCase() !== "drawbridge";
}

function toWire({ range, severity, message, source, code }: vscode.Diagnostic): Diagnostic {
  const name = typeof code === "object" ? code.value : code;
  return {
    range: { start: place(range.start), end: place(range.end) }, severity: severities[severity], message,
    ...(source && { source }), ...(name !== undefined && name !== "" && { code: String(name) }),
  };
}

function place({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

const severities: { readonly [S in vscode.DiagnosticSeverity]: Severity } = {
  [vscode.DiagnosticSeverity.Error]: "error",
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "information",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

function cancelled(token: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve) => token.onCancellationRequested(() => resolve()));
}
