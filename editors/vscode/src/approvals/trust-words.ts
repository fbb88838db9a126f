/** The message that a workspace brings settings of its own. */
import { trustSummary } from "../model/trusts.ts";
import type { TrustRequired } from "../protocol.gen.ts";

export function trustMessage({ files, items, changed }: TrustRequired): string {
  const what = changed ? "The settings that this workspace brings have changed" : "This workspace brings settings of its own";
  const commands = items.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const runs = commands.length === 0 ? "" : `. They would run: ${commands.join(" · ")}`;
  return `${what}, and they do not count until you trust them (${files.join(", ")}: ${trustSummary(items) || "nothing that is known"})${runs}`;
}
