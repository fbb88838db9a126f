/**
 * All that the extension says in the editor's own messages, lists and boxes
 * goes through here. Most of it has words of others in it, and the editor makes
 * links that act, and pictures, of some words: none of theirs may.
 */
import * as vscode from "vscode";
import { inertCode, inertLabel, inertMessage, labelOf } from "./model/inert.ts";

export type Weight = "information" | "warning" | "error";

/** Shows a message with buttons; resolves to the one that was clicked. */
export async function say<T extends string>(weight: Weight, message: string, ...buttons: readonly T[]): Promise<T | undefined> {
  return (await shows[weight](inertMessage(message), ...buttons)) as T | undefined;
}

/** A message that nobody need answer. */
export function tell(weight: Weight, message: string): void {
  void say(weight, message);
}

/** Asks before something that cannot be taken back. What it is about, if given, stands behind the message to the letter. */
export async function confirm(message: string, detail: string, button: string, exact?: string): Promise<boolean> {
  const whole = inertMessage(message) + (exact === undefined ? "" : ` ${inertCode(exact)}`);
  return (await shows.warning(whole, { modal: true, detail: inertMessage(detail) }, button)) === button;
}

/** A few words in the status bar that go away by themselves. */
export function mention(message: string, ms = 5_000): void {
  vscode.window.setStatusBarMessage(inertLabel(message), ms);
}

/** An entry of a list. The icon is ours, the words may be anybody's. */
export interface Entry<T> {
  readonly icon?: string;
  readonly label: string;
  /** The label stands for itself, as a rule does: it is not cut, and its blanks are named. */
  readonly exact?: boolean;
  readonly description?: string;
  readonly detail?: string;
  readonly value: T;
}

export interface ListWords {
  readonly title: string;
  readonly placeHolder: string;
}

/** Lets a person choose; resolves to the value of the entry. */
export async function pick<T>(entries: readonly Entry<T>[] | Promise<readonly Entry<T>[]>, words: ListWords): Promise<T | undefined> {
  const items = Promise.resolve(entries).then((all) => all.map(toItem));
  const chosen = await vscode.window.showQuickPick(items, {
    title: inertLabel(words.title), placeHolder: inertLabel(words.placeHolder), matchOnDescription: true, matchOnDetail: true,
  });
  return chosen?.value;
}

/**
 * A list that stays while a person looks at things: an entry that look answers
 * with true was only looked at, any other is chosen and ends it.
 */
export function menu<T>(entries: readonly Entry<T>[], words: ListWords, look: (value: T) => boolean): Promise<T | undefined> {
  const list = vscode.window.createQuickPick<Item<T>>();
  Object.assign(list, {
    items: entries.map(toItem), title: inertLabel(words.title), placeholder: inertLabel(words.placeHolder),
    matchOnDescription: true, ignoreFocusOut: true,
  });
  return new Promise((resolve) => {
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (!chosen || look(chosen.value)) return;
      resolve(chosen.value);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

type Item<T> = vscode.QuickPickItem & { readonly value: T };

function toItem<T>(entry: Entry<T>): Item<T> {
  return {
    label: labelOf(entry),
    ...(entry.description !== undefined && { description: inertLabel(entry.description) }),
    ...(entry.detail !== undefined && { detail: inertMessage(entry.detail) }),
    value: entry.value,
  };
}

/** Lets a person type a line; undefined when the box was closed. */
export function ask(options: vscode.InputBoxOptions): Promise<string | undefined> {
  const { title, prompt, placeHolder } = options;
  return Promise.resolve(vscode.window.showInputBox({
    ...options,
    ...(title !== undefined && { title: inertLabel(title) }),
    ...(prompt !== undefined && { prompt: inertMessage(prompt) }),
    ...(placeHolder !== undefined && { placeHolder: inertLabel(placeHolder) }),
  }));
}

/** Says that something is under way until it is done. */
export function whileDoing<T>(title: string, task: () => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title: inertMessage(title) };
  return Promise.resolve(vscode.window.withProgress(options, task));
}

const shows = {
  information: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
} as const;
