/** What a person should know about a command before they allow it, beside its text. */
import { el, icon } from "./elements.ts";
import { seen } from "./seen.ts";
import { count } from "./words.ts";
import { presetWords, sandboxWords } from "../model/modes.ts";
import { hasKeys } from "../model/typed.ts";
import { countUnseen } from "../model/visible.ts";
import type { CommandQuestion } from "../protocol.gen.ts";

/** What a yes would do. */
export function commandHeading({ typedInto, escalation, background }: CommandQuestion): string {
  if (typedInto !== undefined) return "Type this into the running command?";
  if (escalation !== undefined) return "Run this command outside the sandbox?";
  return background ? "Run this command in the background?" : "Run this command?";
}

/** Why the model wants more than the sandbox gives: its own words, as mere text, and said to be so. */
export function escalation(words: string): HTMLElement {
  return el(
    "div",
    { class: "escalation" },
    el("p", { class: "escalation-head" }, icon("warning"), el("span", { text: "It asks to leave the sandbox. The model says why:" })),
    words.trim() === ""
      ? el("p", { class: "muted", text: "It gave no reason." })
      : el("blockquote", { class: "escalation-words", attrs: { tabindex: "0", "aria-label": "The model's reason" } }, ...seen(words)),
  );
}

export function circumstances(command: CommandQuestion): HTMLElement {
  const rows = el("div", { class: "circumstances" });
  const { typedInto, background } = command;
  if (typedInto !== undefined) {
    rows.append(row("typed-into", "terminal", el("span", {}, "Typed into: ", ...seen(typedInto, "code"))));
  }
  rows.append(
    el("span", { class: "cwd", title: "The folder it starts in" }, icon("folder"), el("span", {}, ...seen(command.cwd, "code"))),
  );
  const note = unseenNote(command);
  if (note !== "") rows.append(row("unseen-note", "warning", el("span", { text: note })));
  if (background) {
    rows.append(row("in-background", "server-process", el("span", { text: "In the background from the start: it runs until it ends, or until you stop it" })));
  }
  rows.append(confinement(command));
  return rows;
}

function confinement({ unconfined, sandbox, preset }: CommandQuestion): HTMLElement {
  if (unconfined) return row("unconfined", "warning", el("span", { text: "Not confined: it can do whatever you can" }));
  if (sandbox === undefined) return row("confined", "shield", el("span", { text: presetWords[preset].detail }));
  return row("confined", "shield", el("span", {}, ...seen(sandboxWords(sandbox, preset))));
}

function unseenNote({ text, typedInto }: CommandQuestion): string {
  if (typedInto !== undefined) return hasKeys(text) ? "Keys that type no character stand in ⟨…⟩" : "";
  const named = countUnseen(text, "code");
  return named === 0 ? "" : `Named in ⟨…⟩: ${count(named, "character")} that you would not see`;
}

function row(name: string, sign: string, words: HTMLElement): HTMLElement {
  return el("span", { class: name }, icon(sign), words);
}
