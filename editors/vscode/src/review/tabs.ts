/** The editor's tabs that show a change. */
import * as vscode from "vscode";
import { editScheme, readRef, readReviewAddress, reviewScheme } from "./address.ts";
import type { ChangeRef } from "./address.ts";
import { keyOf } from "./reviews.ts";

export interface ChangeTab {
  readonly tab: vscode.Tab;
  readonly uri: vscode.Uri;
  readonly ref: ChangeRef;
  /** A draft of the person's own, not the review. */
  readonly draft: boolean;
}

export function changeTabs(): ChangeTab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).map(changeTab).filter((t) => t !== undefined);
}

export function tabsOf(ref: ChangeRef): ChangeTab[] {
  return changeTabs().filter((t) => keyOf(t.ref) === keyOf(ref));
}

/** The change in the editor that has or last had the keyboard. */
export function activeChange(): ChangeTab | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && changeTab(tab);
}

/** Closing asks about unsaved text by itself; a tab that is gone already is no fault. */
export async function close(tabs: readonly ChangeTab[]): Promise<void> {
  const open = new Set(vscode.window.tabGroups.all.flatMap((group) => group.tabs));
  const left = tabs.map((t) => t.tab).filter((tab) => open.has(tab));
  if (left.length > 0) await vscode.window.tabGroups.close(left, true);
}

/** Where the cursor is in a review: which change, which side and line. */
export function cursor(): { ref: ChangeRef; side: "old" | "new"; line: number; editor: vscode.TextEditor } | undefined {
  const editor = vscode.window.activeTextEditor;
  const ref = editor && readReviewAddress(editor.document.uri);
  if (!editor || !ref || (ref.side !== "old" && ref.side !== "new")) return undefined;
  return { ref, side: ref.side, line: editor.selection.active.line, editor };
}

function changeTab(tab: vscode.Tab): ChangeTab | undefined {
  const uri = uriOf(tab);
  const ref = uri && readRef(uri);
  return uri && ref && { tab, uri, ref, draft: uri.scheme === editScheme };
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  if (tab.input instanceof vscode.TabInputTextDiff) return tab.input.modified;
  if (tab.input instanceof vscode.TabInputText && isOurs(tab.input.uri)) return tab.input.uri;
  return undefined;
}

function isOurs(uri: vscode.Uri): boolean {
  return uri.scheme === reviewScheme || uri.scheme === editScheme;
}
