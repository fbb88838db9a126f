/**
 * Settings that workspaces bring and that wait for the person's word. They do
 * not count meanwhile. Each is named by its folder and the digest of its exact
 * content; a folder has one at most, and nothing here ever answers by itself.
 */
import { Listeners } from "./listeners.ts";
import type { Disposable } from "./listeners.ts";
import type { TrustItem, TrustRequired } from "../protocol.gen.ts";

/** Names exactly what was shown. */
export interface TrustName {
  readonly workspace: string;
  readonly digest: string;
}

export class Trusts {
  readonly #waiting = new Map<string, TrustRequired>();
  readonly #changed = new Listeners<[readonly TrustRequired[]]>();

  get waiting(): readonly TrustRequired[] {
    return [...this.#waiting.values()];
  }

  get({ workspace, digest }: TrustName): TrustRequired | undefined {
    const required = this.#waiting.get(workspace);
    return required?.digest === digest ? required : undefined;
  }

  /** Other content of the same folder takes the place of what was announced before. */
  announce(required: TrustRequired): void {
    if (this.get(required)) return;
    this.#waiting.set(required.workspace, required);
    this.#changed.fire(this.waiting);
  }

  /** It was answered, or is not there any more in this form. */
  settle(name: TrustName): void {
    if (this.get(name) && this.#waiting.delete(name.workspace)) this.#changed.fire(this.waiting);
  }

  /** The bridge that announced them is gone; the next one announces what there is then. */
  clear(): void {
    if (this.#waiting.size === 0) return;
    this.#waiting.clear();
    this.#changed.fire(this.waiting);
  }

  onChange(f: (waiting: readonly TrustRequired[]) => void): Disposable {
    return this.#changed.add(f);
  }
}

/** What they would do, counted: what runs something comes first. */
export function trustSummary(items: readonly TrustItem[]): string {
  const commands = items.filter(({ command }) => command !== undefined).length;
  const others = new Map<string, number>();
  for (const { kind, command } of items) if (command === undefined) others.set(kind, (others.get(kind) ?? 0) + 1);
  const counted = [...others].map(([kind, n]) => many(n, kindWords[kind] ?? kind));
  return [...(commands > 0 ? [many(commands, "command it would run", "commands it would run")] : []), ...counted].join(", ");
}

/** What each kind is called; one that is not known here is shown as it is named. */
export const kindWords: { readonly [kind: string]: string } = {
  rule: "rule", tool: "tool", hook: "hook", mcpServer: "MCP server", model: "model", environment: "environment variable", setting: "setting",
};

function many(n: number, one: string, several = `${one}s`): string {
  return `${n} ${n === 1 ? one : several}`;
}
