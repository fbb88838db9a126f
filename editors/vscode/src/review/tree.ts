/** The list of changes in the side bar. */
import * as vscode from "vscode";
import type { Desk } from "../model/desk.ts";
import { inertLabel, inertLines } from "../model/inert.ts";
import type { Sessions } from "../model/sessions.ts";
import { commands, stands } from "./actions.ts";
import { plural } from "./hunks.ts";
import { hereOf } from "./here.ts";
import { groups, groupWords, isOpen } from "./listing.ts";
import type { Group } from "./listing.ts";
import { keyOf } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { turnTitle } from "./turns.ts";
import { counts, goneWords, headline, nameOf, stateWord } from "./words.ts";

export type Node = { readonly kind: "group"; readonly group: Group } | { readonly kind: "change"; readonly review: Review };

export interface TreeDeps {
  readonly reviews: Reviews;
  readonly desk: Desk;
  readonly sessions: Sessions;
}

/** The badge of the activity bar counts what the status bar counts: every question, about a change or not. */
export function activateTree({ reviews, desk, sessions }: TreeDeps): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const view = vscode.window.createTreeView<Node>("drawbridge.changes", {
    treeDataProvider: { onDidChangeTreeData: changed.event, getTreeItem: (node) => toItem(sessions, node), getChildren: (node) => children({ reviews, sessions }, node) },
  });
  const badge = (): void => {
    const waiting = desk.pending.length;
    view.badge = waiting > 0 ? { value: waiting, tooltip: `${plural(waiting, "question")} ${waiting === 1 ? "waits" : "wait"} for you` } : undefined;
  };
  badge();
  return vscode.Disposable.from(
    changed, view, desk.onChange(badge), reviews.onChange(() => changed.fire()),
    sessions.onReplaced(() => changed.fire()),
  );
}

function children({ reviews, sessions }: Omit<TreeDeps, "desk">, node: Node | undefined): Node[] {
  if (!node) return groups(reviews.all, hereOf(sessions)).map((group) => ({ kind: "group", group }));
  return node.kind === "group" ? node.group.reviews.map((review) => ({ kind: "change", review })) : [];
}

function toItem(sessions: Sessions, node: Node): vscode.TreeItem {
  return node.kind === "group" ? groupItem(sessions, node.group) : changeItem(node.review);
}

function groupItem(sessions: Sessions, group: Group): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const title = inertLabel(turnTitle(sessions.get(group.sessionId), group.turnId));
  const item = new vscode.TreeItem(title, group.reviews.some(isOpen) ? Expanded : Collapsed);
  const by = sessions.get(group.sessionId)?.session.origin;
  const elsewhere = sessions.isShown(group.sessionId) ? (by ? `by ${by.subagentId}` : "") : "in another session";
  item.id = group.id;
  item.description = [groupWords(group), elsewhere].filter(Boolean).join(" · ");
  item.contextValue = group.reviews.some(isOpen) ? "turn-open" : "turn";
  item.tooltip = `${title}\n${groupWords(group)}, ${plural(group.reviews.length, "file")}`;
  return item;
}

function changeItem(review: Review): vscode.TreeItem {
  const uri = vscode.Uri.parse(review.uri);
  const name = inertLabel(nameOf(review.uri));
  const item = new vscode.TreeItem(review.from === undefined ? name : `${inertLabel(nameOf(review.from))} → ${name}`);
  item.id = keyOf(review);
  item.resourceUri = uri;
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = contextOf(review);
  item.description = inertLabel([counts(review), standing(review), folderOf(uri)].filter(Boolean).join(" · "));
  item.tooltip = inertLines(`${vscode.workspace.asRelativePath(uri)}\n${headline(review)}`);
  item.accessibilityInformation = { label: inertLabel(`${nameOf(review.uri)}, ${headline(review)}, ${counts(review)}`) };
  item.command = { command: commands.open, title: "Open Change", arguments: [{ sessionId: review.sessionId, changeId: review.changeId }] };
  return item;
}

/** Kept: nothing is left to decide, and it can be undone. */
function contextOf(review: Review): string {
  if (review.phase !== "settled") return review.phase;
  return stands(review) ? "kept" : "settled";
}

/** What became of a change that asks nothing of anyone. */
function standing(review: Review): string {
  if (review.gone) return goneWords(review);
  return review.phase === "settled" ? stateWord(review) : "";
}

function folderOf(uri: vscode.Uri): string {
  const path = vscode.workspace.asRelativePath(uri);
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
