/** How the editor would read a document of ours. */
import * as vscode from "vscode";
import { needsMark } from "./bytes.ts";

export function isMarked(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration("files", uri);
  return needsMark({
    encoding: files.get<string>("encoding", "utf8"),
    byLanguage: (files.inspect("encoding")?.languageIds?.length ?? 0) > 0,
    guesses: files.get<boolean>("autoGuessEncoding", false),
  });
}
