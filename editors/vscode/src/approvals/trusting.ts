/** Settings that a workspace brings: they are announced once, and an answer goes back for exactly what was shown. */
import * as vscode from "vscode";
import { trustMessage } from "./trust-words.ts";
import { toBridgeError } from "../bridge/link.ts";
import type { Link } from "../bridge/link.ts";
import type { Log } from "../log.ts";
import type { TrustName, Trusts } from "../model/trusts.ts";
import type { Trust, TrustRequired } from "../protocol.gen.ts";
import { mention, say } from "../say.ts";

export interface TrustingDeps {
  readonly link: Link;
  readonly trusts: Trusts;
  readonly log: Log;
  /** Brings the card to the eye, where everything is listed and the answer is given. */
  readonly lead: () => void;
}

export class Trusting implements vscode.Disposable {
  readonly #deps: TrustingDeps;
  readonly #owned: vscode.Disposable;
  readonly #told = new Set<string>();

  constructor(deps: TrustingDeps) {
    this.#deps = deps;
    this.#owned = vscode.Disposable.from(
      deps.trusts.onChange((waiting) => this.#tell(waiting)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#tell(deps.trusts.waiting)),
      deps.link.onConnection(({ kind }) => void (kind === "ready" ? this.#ask() : deps.trusts.clear())),
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Rejects when it does not count: what there is by now is announced then. */
  async answer({ workspace, digest }: TrustName, trust: Trust): Promise<void> {
    const { link, trusts } = this.#deps;
    if (!vscode.workspace.isTrusted) throw new Error("This workspace is not trusted: its settings cannot be either.");
    if (!trusts.get({ workspace, digest })) throw new Error("The workspace's settings have changed: look at them again.");
    await link.request("trust/answer", { workspace, digest, trust });
    trusts.settle({ workspace, digest });
    mention(trust === "yes" ? "The workspace's own settings count from now on" : "The workspace's own settings do not count");
  }

  /** What was announced before this window listened. */
  async #ask(): Promise<void> {
    const { link, trusts, log } = this.#deps;
    try {
      const { required } = await link.request("trust/list", {});
      for (const one of required) trusts.announce(one);
    } catch (thrown) {
      log.write("warn", `the workspace's own settings cannot be listed: ${toBridgeError(thrown).message}`);
    }
  }

  /** The message only leads to the card: nobody trusts what they did not see whole. */
  #tell(waiting: readonly TrustRequired[]): void {
    if (!vscode.workspace.isTrusted) return;
    for (const required of waiting) {
      const name = `${required.workspace} ${required.digest}`;
      if (this.#told.has(name)) continue;
      this.#told.add(name);
      void say("warning", trustMessage(required), "Review").then((choice) => choice === "Review" && this.#deps.lead());
    }
  }
}
