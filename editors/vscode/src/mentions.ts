/** What of the workspace a person wants the agent to look at: the selection, a file, a file found by its name. */
import { execFile } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Mention } from "./conversation/messages.ts";
import { rank } from "./model/rank.ts";
import type { Block } from "./protocol.gen.ts";

/** A prompt as the bridge takes it: what was typed, then what goes along. */
export function toBlocks(text: string, mentions: readonly Mention[]): Block[] {
  const said: Block[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [...said, ...mentions.map((m): Block => m.kind === "file" ? { type: "resourceLink", uri: m.uri, name: m.name } : m.block)];
}

/** The selection of the active editor; undefined when nothing is selected. */
export function selectionMention(editor: vscode.TextEditor | undefined): Mention | undefined {
  if (!editor || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  const { start, end } = selection;
  const uri = document.uri.toString();
  const position = (p: vscode.Position): { line: number; character: number } => ({ line: p.line, character: p.character });
  const block: Block = {
    type: "selection", uri, text: document.getText(selection), range: { start: position(start), end: position(end) },
  };
  const endLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { kind: "selection", uri, name: path.posix.basename(document.uri.path), startLine: start.line + 1, endLine, block };
}

export function fileMention(uri: vscode.Uri): Mention {
  return { kind: "file", uri: uri.toString(), name: vscode.workspace.asRelativePath(uri) };
}

export interface FoundFile {
  readonly uri: string;
  readonly name: string;
  readonly path: string;
}

/** Finds files by a few letters. The list of files is made anew when it is older than a few seconds. */
export class FileFinder {
  #files: Promise<readonly FoundFile[]> | undefined;
  #madeAt = 0;

  async find(query: string): Promise<readonly FoundFile[]> {
    if (!this.#files || Date.now() - this.#madeAt > freshMs) {
      this.#files = allFiles();
      this.#madeAt = Date.now();
    }
    const open = openFiles();
    const seen = new Set(open.map((f) => f.uri));
    return rank(query, [...open, ...(await this.#files).filter((f) => !seen.has(f.uri))], shown);
  }
}

const freshMs = 10_000;
const shown = 30;
const most = 50_000;

/** Files in tabs come first: they are what a person thinks of. */
function openFiles(): FoundFile[] {
  const inputs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.input);
  return inputs.flatMap((input) => {
    if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== "file") return [];
    return vscode.workspace.getWorkspaceFolder(input.uri) ? [toFound(input.uri)] : [];
  });
}

async function allFiles(): Promise<readonly FoundFile[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const lists = await Promise.all(folders.map(async (folder) => (await tracked(folder.uri)) ?? (await found(folder))));
  return lists.flat().slice(0, most).map(toFound);
}

function found(folder: vscode.WorkspaceFolder): Thenable<vscode.Uri[]> {
  return vscode.workspace.findFiles(new vscode.RelativePattern(folder, "**/*"), undefined, most);
}

/**
 * What git knows or would add, so that ignored files stay out; undefined where
 * there is no git. A repository can name programs that git runs, so git is
 * asked in trusted workspaces only.
 */
function tracked(folder: vscode.Uri): Promise<vscode.Uri[] | undefined> {
  if (folder.scheme !== "file" || !vscode.workspace.isTrusted) return Promise.resolve(undefined);
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  return new Promise((resolve) => {
    execFile("git", args, { cwd: folder.fsPath, timeout: 3_000, maxBuffer: 32 << 20 }, (fault, stdout) => {
      if (fault) resolve(undefined);
      else resolve(stdout.split("\0").filter((p) => p !== "").map((p) => vscode.Uri.joinPath(folder, p)));
    });
  });
}

function toFound(uri: vscode.Uri): FoundFile {
  return { uri: uri.toString(), name: path.posix.basename(uri.path), path: vscode.workspace.asRelativePath(uri) };
}
