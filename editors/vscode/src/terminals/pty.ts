/** A command's terminal as the editor sees it. The command itself belongs to the bridge. */
import * as vscode from "vscode";

export interface PtyHost {
  /** A view is there and shows what is written from now on. */
  opened(): void;
  typed(text: string): void;
  resized(cols: number, rows: number): void;
  /** The view is gone. */
  closed(): void;
}

const lateMs = 1_500;

export class CommandPty implements vscode.Pseudoterminal {
  readonly #host: PtyHost;
  readonly #write = new vscode.EventEmitter<string>();
  readonly #name = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#write.event;
  readonly onDidChangeName = this.#name.event;
  #called: string | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(host: PtyHost) {
    this.#host = host;
  }

  write(data: string): void {
    this.#write.fire(data);
  }

  rename(name: string): void {
    this.#called = name;
    this.#name.fire(name);
  }

  open(size: vscode.TerminalDimensions | undefined): void {
    if (size) this.setDimensions(size);
    this.#host.opened();
    // A busy editor takes no name yet when the terminal is opened, and does not say so.
    this.#late = setTimeout(() => {
      if (this.#called !== undefined) this.#name.fire(this.#called);
    }, lateMs);
  }

  setDimensions(size: vscode.TerminalDimensions): void {
    if (size.columns > 0 && size.rows > 0) this.#host.resized(size.columns, size.rows);
  }

  handleInput(data: string): void {
    this.#host.typed(data);
  }

  close(): void {
    clearTimeout(this.#late);
    this.#host.closed();
    this.#write.dispose();
    this.#name.dispose();
  }
}
