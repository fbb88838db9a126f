/**
 * Has the editor show what the file holds by now. The editor reads a clean
 * document anew by itself when it sees that the file was changed; its command
 * for that acts on whatever is in front, unsaved text or not, so it is waited for.
 */
import * as vscode from "vscode";

/** The bridge waits two seconds. */
const patienceMs = 1_800;
const pauseMs = 50;

/** True: the document has no unsaved text and holds the file's. */
export async function refreshDocument(uri: string, token: vscode.CancellationToken): Promise<boolean> {
  const wanted = vscode.Uri.parse(uri).toString();
  const find = (): vscode.TextDocument | undefined => vscode.workspace.textDocuments.find((d) => d.uri.toString() === wanted);
  const end = Date.now() + patienceMs;
  for (;;) {
    const document = find();
    if (!document || document.isDirty || token.isCancellationRequested) return false;
    if (await holdsFile(document)) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function holdsFile(document: vscode.TextDocument): Promise<boolean> {
  try {
    const { version } = document;
    const text = await vscode.workspace.decode(await vscode.workspace.fs.readFile(document.uri), { encoding: document.encoding });
    return document.version === version && lines(text) === lines(document.getText());
  } catch {
    return false; // it is not there, or cannot be read
  }
}

/** A document has one kind of line end, a file may have several; and it has no byte order mark. */
function lines(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
}
