/** What a rewind says to a person before and after. It knows no editor. */
import { visible } from "../model/visible.ts";
import type { ChangeKind, Checkpoint, RewindFile, RewindState } from "../protocol.gen.ts";
import { plural } from "../review/hunks.ts";

/** What a list of checkpoints says of one. */
export function checkpointWords(checkpoint: Checkpoint, now: number): { label: string; description: string; detail: string } {
  const { title, rewindTo, createdAt, files, gone } = checkpoint;
  return {
    label: rewindTo === undefined ? `Before “${title}”` : `Before the rewind: ${title}`,
    description: [plural(files.length, "file"), timeWords(createdAt, now), ...(gone ? ["not kept any more"] : [])].join(" · "),
    detail: listed(files.map(nameOf)),
  };
}

export function titleOf(checkpoint: Checkpoint, only: boolean): string {
  if (checkpoint.rewindTo !== undefined) return `Undo the rewind: ${checkpoint.title}`;
  return only ? `Take back only “${checkpoint.title}”` : `Rewind to before “${checkpoint.title}”`;
}

/** It gets another content, or comes or goes. */
export function isDone({ state }: RewindFile): boolean {
  return state === "restore" || state === "merge";
}

/** It is not what it was, and nothing is done about that. */
export function isLeft({ state }: RewindFile): boolean {
  return state === "conflict" || state === "unkept";
}

/** What is done to a file: "+2 −1 · gets its former text back". */
export function fileWords(file: RewindFile): string {
  const { plus = 0, minus = 0 } = file;
  return [...(plus + minus > 0 ? [`+${plus} −${minus}`] : []), doneWords(file)].join(" · ");
}

/** The entry that does it; undefined where nothing can be done. */
export function goWords(files: readonly RewindFile[]): { label: string; description: string } | undefined {
  const done = files.filter(isDone).length;
  const left = files.filter(isLeft).length;
  if (done === 0) return undefined;
  return { label: `Rewind ${plural(done, "file")}`, description: left > 0 ? `${plural(left, "file")} ${left === 1 ? "is" : "are"} left alone` : "" };
}

/** Why there is no such entry. */
export function nothingWords(files: readonly RewindFile[]): string {
  if (!files.some(isLeft)) return "Nothing to rewind: every file holds what it held.";
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
  restore: "discard", merge: "git-merge", conflict: "warning", unchanged: "check", unkept: "circle-slash",
};

function doneWords({ state, kind }: RewindFile): string {
  switch (state) {
    case "restore":
      return restores[kind];
    case "merge":
      return "gets its former text back; what others changed since stays";
    case "conflict":
      return "is left alone: others changed the same lines since";
    case "unchanged":
      return "holds already what it held";
    case "unkept":
      return "is left alone: what it held was not kept";
  }
}

const restores: { readonly [K in ChangeKind]: string } = {
  create: "comes back", modify: "gets its former text back", delete: "is removed again", rename: "gets its former name back",
};

const shortly: { readonly [S in RewindState]: string } = {
  restore: "", merge: "", unchanged: "", conflict: "others changed the same lines", unkept: "what it held was not kept",
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
