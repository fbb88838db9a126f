/** What a rewind says to a person before and after. It knows no editor. */
import { visible } from "../model/visible.ts";
import type { Checkpoint, CheckpointPreviewParams, RewindFile, RewindState } from "../protocol.gen.ts";
import { plural } from "../review/hunks.ts";

/** What a list of checkpoints says of one. */
export function checkpointWords(checkpoint: Checkpoint, now: number): { label: string; description: string; detail: string } {
  const { title, rewindTo, createdAt, files, gone } = checkpoint;
  return {
    label: rewindTo === undefined ? `Before “${title}”` : `Before ${rewindWord(title)}`,
    description: [plural(files.length, "file"), timeWords(createdAt, now), ...(gone ? ["not kept any more"] : [])].join(" · "),
    detail: listed(files.map(nameOf)),
  };
}

export function titleOf(checkpoint: Checkpoint, { only, doubtful }: Pick<CheckpointPreviewParams, "only" | "doubtful">): string {
  const what = checkpoint.rewindTo !== undefined ? `Undo of ${rewindWord(checkpoint.title)}`
    : only ? `Take back only “${checkpoint.title}”` : `Rewind to before “${checkpoint.title}”`;
  return doubtful ? `${what}, with what may be somebody else's` : what;
}

/** The title of a rewind's checkpoint, within a sentence: "the rewind to before: Mend the greeting". */
function rewindWord(title: string): string {
  return `the ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

/** It gets another content, or comes or goes. */
export function isDone({ state }: RewindFile): boolean {
  return state === "restore" || state === "merge";
}

/** It is not what it was, and nothing is done about that. */
export function isLeft({ state }: RewindFile): boolean {
  return state === "conflict" || state === "unkept" || state === "doubtful";
}

/** Some of it may be the work of somebody else, stays therefore, and could be taken back all the same. */
function isSpared({ state, doubtful }: RewindFile): boolean {
  return state === "doubtful" || (doubtful === true && state !== "unkept");
}

/** What is done to a file: "merge · +2 −1 · what was changed since stays". Why stands apart from it. */
export function fileWords(file: RewindFile): string {
  const { plus = 0, minus = 0 } = file;
  return [verb(file), plus + minus > 0 ? `+${plus} −${minus}` : "", about(file)].filter(Boolean).join(" · ");
}

/** The entry that does it; undefined where nothing can be done. */
export function goWords(files: readonly RewindFile[]): { label: string; description: string } | undefined {
  const done = files.filter(isDone).length;
  const left = files.filter(isLeft).length;
  if (done === 0) return undefined;
  return { label: `Rewind ${plural(done, "file")}`, description: left > 0 ? `${plural(left, "file")} ${left === 1 ? "is" : "are"} left alone` : "" };
}

/** The entry that takes in what may be somebody else's; undefined where that is nothing, or was done. */
export function doubtfulWords(files: readonly RewindFile[], isIn: boolean): { label: string; description: string } | undefined {
  const spared = files.filter(isSpared).length;
  if (spared === 0 || isIn) return undefined;
  return { label: "Take back what may be somebody else's, too…", description: `${plural(spared, "file")} changed while a command ran` };
}

/** Why there is no such entry. */
export function nothingWords(files: readonly RewindFile[]): string {
  if (!files.some(isLeft)) return "Nothing to rewind: every file holds what it held.";
  if (files.some(({ state }) => state === "doubtful")) return "Nothing is rewound: it may be somebody else's work.";
  return "Nothing can be rewound: look below why.";
}

export function afterWords(files: readonly RewindFile[]): string {
  const done = files.filter(isDone).length;
  const left = files.filter(isLeft);
  const parts = [done === 0 ? "No file was rewound." : `Rewound ${plural(done, "file")}.`];
  if (left.length > 0) parts.push(`Left alone: ${listed(left.map((f) => `${nameOf(f.uri)} (${f.why ?? shortly[f.state]})`))}.`);
  return parts.join(" ");
}

export const icons: { readonly [S in RewindState]: string } = {
  restore: "discard", merge: "git-merge", conflict: "warning", unchanged: "check", unkept: "circle-slash", doubtful: "question",
};

/** The words that a terminal has for it, too. */
function verb(file: RewindFile): string {
  if (isLeft(file)) return "leave";
  return file.state === "restore" && file.kind === "delete" ? "remove" : file.state;
}

function about({ state, why }: RewindFile): string {
  if (state === "merge") return "what was changed since stays";
  if (state === "unchanged") return "holds it already";
  return why === undefined ? shortly[state] : "";
}

const shortly: { readonly [S in RewindState]: string } = {
  restore: "", merge: "", unchanged: "", conflict: "the same lines were changed since", unkept: "what it held was not kept",
  doubtful: "changed while a command ran, maybe by somebody else",
};

const mostNamed = 5;

function listed(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return names.slice(0, mostNamed).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function nameOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  try {
    return visible(decodeURIComponent(name));
  } catch {
    return visible(name); // a lone percent sign
  }
}

function timeWords(at: number, now: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleString();
}
