/**
 * Keys of model services: kept in the editor's secret storage, handed to each
 * bridge that starts. They are never written to settings, logs or environment.
 */
import * as vscode from "vscode";
import { toBridgeError } from "./bridge/link.ts";
import type { Link } from "./bridge/link.ts";
import type { Log } from "./log.ts";
import { Listeners } from "./model/listeners.ts";
import { ask, pick, say, tell, whileDoing } from "./say.ts";

const namesKey = "drawbridge.keys";
const secretKey = (provider: string): string => `drawbridge.key.${provider}`;

export class Keys implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #link: Link;
  readonly #log: Log;
  readonly #watching: vscode.Disposable;
  readonly #changed = new Listeners<[]>();
  #settingHere = false;

  constructor(context: vscode.ExtensionContext, link: Link, log: Log) {
    this.#context = context;
    this.#link = link;
    this.#log = log;
    this.#watching = context.secrets.onDidChange((change) => void this.#changedElsewhere(change.key));
  }

  /** The bridge has a key that it had not, or lacks one that it had. */
  onChange(f: () => void): vscode.Disposable {
    return vscode.Disposable.from(this.#changed.add(f));
  }

  /**
   * Gives the bridge what is stored. The requests are sent before this resolves,
   * so that a prompt comes after them. A secret storage that does not answer
   * keeps nobody from working.
   */
  async handOver(): Promise<void> {
    try {
      const stored = await Promise.all(this.#names().map(async (provider) => {
        const key = await this.#context.secrets.get(secretKey(provider));
        return { provider, key };
      }));
      for (const { provider, key } of stored) {
        if (key !== undefined) void this.#give(provider, key);
      }
    } catch (thrown) {
      this.#log.write("warn", `the stored keys cannot be read: ${toBridgeError(thrown).message}`);
    }
  }

  /** Asks for a key, checks it and keeps it. True: there is a new key. */
  async set(provider?: string): Promise<boolean> {
    const chosen = provider ?? (await this.#pickProvider());
    if (chosen === undefined) return false;
    const key = await ask({
      title: `Key of ${chosen}`, password: true, ignoreFocusOut: true,
      prompt: "It is kept in the editor's secret storage and checked by one request.",
      validateInput: (value) => (value.trim() === "" ? "A key is not empty." : undefined),
    });
    if (key === undefined) return false;
    return this.#check(chosen, key.trim());
  }

  async forget(): Promise<void> {
    const names = this.#names();
    if (names.length === 0) {
      tell("information", "No key is stored.");
      return;
    }
    const provider = await pick(names.map((name) => ({ label: name, value: name })), { title: "Forget a key", placeHolder: "Whose key?" });
    if (provider === undefined) return;
    await this.#store(provider, undefined);
    await this.#link.request("model/key", { provider, key: "" }).catch((thrown: unknown) => {
      this.#log.write("warn", `the bridge still has the key of ${provider}: ${toBridgeError(thrown).message}`);
    });
    this.#changed.fire();
    tell("information", `The key of ${provider} is forgotten.`);
  }

  dispose(): void {
    this.#watching.dispose();
  }

  async #pickProvider(): Promise<string | undefined> {
    const listed = this.#link.request("model/list", {}).then(({ providers }) => providers.map((p) => ({
      label: p.name,
      description: p.ready ? "ready" : "not ready",
      ...(p.hint !== undefined && { detail: p.hint }),
      value: p.name,
    })));
    try {
      return await pick(listed, { title: "Set a key", placeHolder: "Whose key?" });
    } catch (thrown) {
      tell("error", `The providers cannot be listed: ${toBridgeError(thrown).message}`);
      return undefined;
    }
  }

  /** A key that cannot be checked now may still be right and is kept; one that is refused is not. */
  async #check(provider: string, key: string): Promise<boolean> {
    try {
      const { provider: found } = await whileDoing(`Checking the key of ${provider}…`, () => this.#link.request("model/key", { provider, key }));
      await this.#store(provider, key);
      this.#changed.fire();
      if (found.hint === undefined) tell("information", `The key of ${provider} works and is stored.`);
      else tell("warning", `The key of ${provider} is stored. The bridge says: ${found.hint}`);
      return true;
    } catch (thrown) {
      const fault = toBridgeError(thrown);
      const why = fault.hint === undefined ? fault.message : `${fault.message}; ${fault.hint}`;
      const choices = fault.kind === "auth" ? ["Try Another"] : ["Try Again", "Store Anyway"];
      const choice = await say("error", `The key of ${provider} was not accepted: ${why}`, ...choices);
      if (choice === "Try Another") return this.set(provider);
      if (choice === "Try Again") return this.#check(provider, key);
      if (choice === "Store Anyway") await this.#store(provider, key);
      this.#changed.fire(); // what is refused may be in use all the same
      return choice === "Store Anyway";
    }
  }

  async #give(provider: string, key: string): Promise<void> {
    try {
      await this.#link.request("model/key", { provider, key });
      this.#changed.fire();
    } catch (thrown) {
      const fault = toBridgeError(thrown);
      this.#log.write("warn", `the stored key of ${provider}: ${fault.message}`);
      if (fault.kind !== "auth") return;
      const choice = await say("warning", `The stored key of ${provider} was refused.`, "Set Key");
      if (choice === "Set Key") await this.set(provider);
    }
  }

  /** Another window stored or forgot a key. */
  async #changedElsewhere(secret: string): Promise<void> {
    const prefix = secretKey("");
    if (this.#settingHere || !secret.startsWith(prefix) || this.#link.connection.kind !== "ready") return;
    const provider = secret.slice(prefix.length);
    await this.#give(provider, (await this.#context.secrets.get(secret)) ?? "");
  }

  async #store(provider: string, key: string | undefined): Promise<void> {
    this.#settingHere = true;
    try {
      if (key === undefined) await this.#context.secrets.delete(secretKey(provider));
      else await this.#context.secrets.store(secretKey(provider), key);
      const others = this.#names().filter((name) => name !== provider);
      await this.#context.globalState.update(namesKey, key === undefined ? others : [...others, provider].sort());
    } finally {
      this.#settingHere = false;
    }
  }

  #names(): readonly string[] {
    return this.#context.globalState.get<readonly string[]>(namesKey, []);
  }
}
