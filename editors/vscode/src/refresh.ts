/**
 * Has the editor show what the file holds by now. The editor reads a clean
 * document anew by itself when it sees that the file was changed; its command
 * for that acts on whatever is in front, unsaved text or not, so it is waited for.
 */
import * as vscode from "vscode";

/** The bridge waits two seconds. */
const patienceMs = 1_800;
const pauseMs = 50;

/**
 * True: the document has no unsaved text and holds the file's, also where that
 * took a moment. False at once where waiting is of no use: it has unsaved text,
 * it is not open, or there is no such file.
 */
export async function refreshDocument(uri: string, token?: vscode.CancellationToken): Promise<boolean> {
  const wanted = vscode.Uri.parse(uri).toString();
  const end = Date.now() + patienceMs;
  for (;;) {
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === wanted);
    if (!document || document.isDirty || token?.isCancellationRequested) return false;
    const isSame = await holdsFile(document);
    if (isSame !== false) return isSame ?? false;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Undefined where there is no file that could be read. */
async function holdsFile(document: vscode.TextDocument): Promise<boolean | undefined> {
  try {
    const { version } = document;
    const text = await decode(await vscode.workspace.fs.readFile(document.uri), document.encoding);
    return document.version === version && lines(text) === lines(document.getText());
  } catch {
    return undefined;
  }
}

/** The usual encoding without the window, which may be busy just then. */
function decode(bytes: Uint8Array, encoding: string): string | Thenable<string> {
  return encoding.startsWith("utf8") ? new TextDecoder().decode(bytes) : vscode.workspace.decode(bytes, { encoding });
}

/** A document has one kind of line end, a file may have several; and it has no byte order mark. */
function lines(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
}
