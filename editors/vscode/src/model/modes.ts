/** What modes and presets are called where a person reads them, and how settings and rules name them. */
import type { Mode, Preset } from "../protocol.gen.ts";

interface Words {
  readonly label: string;
  readonly detail: string;
}

export const modeWords: { readonly [M in Mode]: Words } = {
  "always-ask": { label: "Ask always", detail: "You decide about every edit and every command" },
  "auto-edit": { label: "Edit freely", detail: "Edits are applied at once, to be reviewed after; commands ask" },
  "read-only": { label: "Look only", detail: "Reads without asking; everything else asks" },
  plan: { label: "Plan", detail: "Changes nothing and says what it would do" },
  "allow-all": { label: "Allow all", detail: "Never asks; only the limits hold" },
  "deny-all": { label: "Deny all", detail: "Whatever would need a yes is denied" },
};

export const presetWords: { readonly [P in Preset]: Words } = {
  "read-only": { label: "Read-only", detail: "Nothing can be written; commands run in the sandbox" },
  "workspace-write": { label: "Workspace", detail: "Writes stay inside the workspace; commands run in the sandbox" },
  "full-access": { label: "Full access", detail: "No limit beyond your own, also for commands" },
};

/** What holds a command that would run in the sandbox, for a person who decides about it. */
export function sandboxWords(sandbox: string, preset: Preset): string {
  const writes = preset === "read-only" ? "writes nothing of yours" : "writes only to the workspace";
  return `Runs in the sandbox (${sandbox}): ${writes}, no network unless your settings allow it`;
}

/** Both names, where a person chooses: "Ask always (always-ask)". */
export function modeName(mode: Mode): string {
  return both(modeWords[mode].label, mode);
}

export function presetName(preset: Preset): string {
  return both(presetWords[preset].label, preset);
}

/** Why something is asked, in a person's words. What is shown beside it anyway is not said twice. */
export function askedBecause(reason: string, isUnconfinedShown: boolean): string {
  return reason
    .split("; ")
    .filter((part) => !(isUnconfinedShown && part === "unconfined"))
    .map((part) => part.replace(/^mode ([a-z-]+)$/, (all, mode: string) => (mode in modeWords ? `mode ${modeName(mode as Mode)}` : all)))
    .join("; ")
    .replace(/^./, (first) => first.toUpperCase());
}

function both(label: string, name: string): string {
  return label.toLowerCase().replaceAll(" ", "-") === name ? label : `${label} (${name})`;
}
