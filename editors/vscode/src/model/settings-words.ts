/** What became of settings files that were changed, in a person's words. It knows no editor. */
import type { SettingsChanged, SettingsProblem } from "../protocol.gen.ts";

/** "Drawbridge's settings count as they are now: approval.rules". */
export function appliedWords({ changed, later = [] }: SettingsChanged): string {
  const what = changed.length === 0 ? "nothing changed" : listed(changed);
  return [`Drawbridge's settings were read again: ${what}`, ...later].join(" · ");
}

/** Why what was changed does not count. */
export function refusedWords({ problems }: SettingsChanged): string {
  const faults = problems.filter(({ warning }) => !warning);
  const [first] = faults;
  const rest = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  const what = first ? `: ${placeWords(first)}: ${first.message}${rest}` : "";
  return `Drawbridge's settings have a fault, and what was read last counts${what}`;
}

/** What no place in a file is known of. */
export function placelessWords(problems: readonly SettingsProblem[]): string {
  const rest = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `Drawbridge's settings: ${problems[0]?.message ?? ""}${rest}`;
}

/** What a bridge says that does not start for its settings: "FILE:LINE:COLUMN: what is wrong". */
export function problemIn(words: string): SettingsProblem | undefined {
  const { file, line, column, message } = /(?<file>(?:\/|[A-Za-z]:[\\/])[^\n]*?\.ya?ml):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.+)$/m.exec(words)?.groups ?? {};
  if (file === undefined || message === undefined) return undefined;
  return { file, line: Number(line), column: Number(column ?? 0), message };
}

/** Where an editor shows a problem; counted from 0. To 0, 0 of a file leads what is about all of it. */
export function rangeOf({ line, column }: SettingsProblem): { line: number; from: number; to: number } {
  if (line < 1) return { line: 0, from: 0, to: 0 };
  return { line: line - 1, from: Math.max(0, column - 1), to: wholeLine };
}

/** No line is longer; an editor cuts it to what there is. */
const wholeLine = 10_000;

function placeWords({ file, line }: SettingsProblem): string {
  const name = file.split(/[/\\]/).slice(-2).join("/");
  return line > 0 ? `${name}, line ${line}` : name;
}

const mostNamed = 4;

function listed(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return names.slice(0, mostNamed).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Where the user's own settings lie, as the bridge finds them; undefined where nothing says so. */
export function userSettingsPath(env: { readonly [name: string]: string | undefined }, home: string, isAbsolute: (path: string) => boolean): string | undefined {
  const base = env["XDG_CONFIG_HOME"] ?? "";
  const at = env["HOME"] ?? home;
  if (isAbsolute(base)) return `${base}/drawbridge/config.yaml`;
  return isAbsolute(at) ? `${at}/.config/drawbridge/config.yaml` : undefined;
}

/** What a settings file holds when it is made: words, and nothing that counts. */
export const newFile: { readonly [W in "user" | "workspace"]: string } = {
  user: "# Drawbridge's settings, for all workspaces. \"drawbridge config show\" lists what holds, \"drawbridge config check\" what is wrong.\n",
  workspace: "# Drawbridge's settings in this workspace. They count when you trust them, and only where they narrow what is allowed.\n",
};
