/**
 * Text of others (of the model, of files, of the bridge) where the editor itself
 * shows it. The editor makes links of `[x](command:…)` in messages and pictures
 * of `$(x)` in lists, the status bar and lenses: here both become mere words, on
 * one line, of bounded length, with nothing in them that cannot be seen.
 */
import { visible } from "./visible.ts";

const messageLength = 400;
const labelLength = 160;

/** For messages, the titles of progress and prompts. */
export function inertMessage(text: string): string {
  return inert(text, messageLength);
}

/** For entries of lists, names and the status bar, which have less room. */
export function inertLabel(text: string): string {
  return inert(text, labelLength);
}

/** What stands for itself, such as a rule: whole, and each character of it as it is or named. */
export function inertCode(text: string): string {
  return visible(text, "code").replaceAll("\t", "⟨U+0009⟩").replaceAll("\n", "⏎").replace(active, `$1${gap}`);
}

/** The label of an entry of a list. The icon is ours; what is exact is shown to the letter. */
export function labelOf({ icon, label, exact }: { readonly icon?: string; readonly label: string; readonly exact?: boolean }): string {
  return `${icon === undefined ? "" : `$(${icon}) `}${exact === true ? inertCode(label) : inertLabel(label)}`;
}

/** Several lines may stay where the editor shows them, as in a tooltip. */
export function inertLines(text: string): string {
  return text.split("\n").map(inertLabel).join("\n");
}

function inert(text: string, most: number): string {
  // What is cut away need not be looked at, however long it is; a character more or less does not matter.
  const line = visible(text.slice(0, most * 4).replace(parted, "$1").replace(/\s+/g, " ").trim());
  const characters = [...line];
  const bounded = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
  return bounded.replace(active, `$1${gap}`);
}

/** Has no width, and keeps apart what would mean something together. */
const gap = "\u200b";

/** What begins the address of a link, or a picture. */
const active = /(\]|\$)(?=\()/g;

/** The same where it was parted before. */
const parted = new RegExp(`(\\]|\\$)${gap}(?=\\()`, "g");
