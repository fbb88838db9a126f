/** The two documents of a diff. They come from the bridge's texts and cannot be written to. */
import * as vscode from "vscode";
import { readReviewAddress, reviewAddress, reviewScheme } from "./address.ts";
import type { ChangeRef, Shown } from "./address.ts";
import { tabsOf } from "./tabs.ts";
import type { Texts, TextShelf } from "./texts.ts";

export function activateDocuments(shelf: TextShelf): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  return vscode.Disposable.from(
    changed,
    shelf.onChange((ref) => {
      for (const uri of shownUris(ref)) changed.fire(uri);
    }),
    vscode.workspace.registerTextDocumentContentProvider(reviewScheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => {
        const ref = readReviewAddress(uri);
        const texts = ref && shelf.get(ref);
        return texts ? textOf(texts, ref.side) : ""; // of an earlier window: it is filled or closed when its session is back
      },
    }),
  );
}

function textOf(texts: Texts, shown: Shown): string {
  if (shown === "patch") return texts.diff;
  return shown === "new" ? texts.newText : texts.oldText;
}

function shownUris(ref: ChangeRef): vscode.Uri[] {
  const input = tabsOf(ref).map((t) => t.tab.input).find((i) => i instanceof vscode.TabInputTextDiff);
  if (!input) return [];
  return (["old", "new", "base"] as const).map((side) => vscode.Uri.from(reviewAddress(ref, input.original.path, side)));
}
