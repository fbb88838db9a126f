/** The list of changes in the side bar. */
import * as vscode from "vscode";
import type { Desk } from "../model/desk.ts";
import { inertLabel, inertLines } from "../model/inert.ts";
import { commands } from "./actions.ts";
import { plural } from "./hunks.ts";
import { groups } from "./listing.ts";
import type { Group } from "./listing.ts";
import { keyOf } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";
import { counts, headline, nameOf } from "./words.ts";

export type Node = { readonly kind: "group"; readonly group: Group } | { readonly kind: "change"; readonly review: Review };

/** The badge of the activity bar counts what the status bar counts: every question, about a change or not. */
export function activateTree(reviews: Reviews, desk: Desk): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const view = vscode.window.createTreeView<Node>("drawbridge.changes", {
    treeDataProvider: { onDidChangeTreeData: changed.event, getTreeItem: toItem, getChildren: (node) => children(reviews, node) },
  });
  const badge = (): void => {
    const waiting = desk.pending.length;
    view.badge = waiting > 0 ? { value: waiting, tooltip: `${plural(waiting, "question")} ${waiting === 1 ? "waits" : "wait"} for you` } : undefined;
  };
  badge();
  return vscode.Disposable.from(changed, view, desk.onChange(badge), reviews.onChange(() => changed.fire()));
}

function children(reviews: Reviews, node: Node | undefined): Node[] {
  if (!node) return groups(reviews.open).map((group) => ({ kind: "group", group }));
  return node.kind === "group" ? node.group.reviews.map((review) => ({ kind: "change", review })) : [];
}

function toItem(node: Node): vscode.TreeItem {
  return node.kind === "group" ? groupItem(node.group) : changeItem(node.review);
}

function groupItem(group: Group): vscode.TreeItem {
  const item = new vscode.TreeItem(group.title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = group.id;
  item.description = String(group.reviews.length);
  return item;
}

function changeItem(review: Review): vscode.TreeItem {
  const uri = vscode.Uri.parse(review.uri);
  const item = new vscode.TreeItem(inertLabel(nameOf(review.uri)));
  item.id = keyOf(review);
  item.resourceUri = uri;
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = review.phase;
  item.description = inertLabel([counts(review), folderOf(uri)].filter(Boolean).join(" · "));
  item.tooltip = inertLines(`${vscode.workspace.asRelativePath(uri)}\n${headline(review)}`);
  item.accessibilityInformation = { label: inertLabel(`${nameOf(review.uri)}, ${headline(review)}, ${counts(review)}`) };
  item.command = { command: commands.open, title: "Open Change", arguments: [{ sessionId: review.sessionId, changeId: review.changeId }] };
  return item;
}

function folderOf(uri: vscode.Uri): string {
  const path = vscode.workspace.asRelativePath(uri);
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
