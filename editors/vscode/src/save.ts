/** Saves a document for a command that is about to read it. Nobody is asked. */
import * as vscode from "vscode";

/** True: the file holds what the editor shows. */
export async function saveDocument(uri: string): Promise<boolean> {
  const wanted = vscode.Uri.parse(uri).toString();
  const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === wanted);
  if (!document || document.isUntitled) return false;
  if (!document.isDirty) return true;
  return document.save();
}
