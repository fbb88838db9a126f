/** The log: an output channel, and the end of it for a problem report. */
import * as vscode from "vscode";
import type { Level } from "./bridge/logline.ts";

const kept = 400;

export class Log implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel("Drawbridge", { log: true });
  readonly #tail: string[] = [];

  write(level: Level, text: string): void {
    this.channel[level](text);
    this.#tail.push(`${new Date().toISOString()} ${level} ${text}`);
    if (this.#tail.length > kept) this.#tail.shift();
  }

  /** The newest lines. */
  get tail(): string {
    return this.#tail.join("\n");
  }

  dispose(): void {
    this.channel.dispose();
  }
}
