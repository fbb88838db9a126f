/** One command's terminal in the editor: what it shows, what is typed into it, what its tab is called. */
import * as vscode from "vscode";
import type { Link } from "../bridge/link.ts";
import { toBridgeError } from "../bridge/link.ts";
import type { TerminalInfo } from "../model/conversation.ts";
import type { CommandName, Standing } from "../model/running.ts";
import type { Exit, TerminalOutput } from "../protocol.gen.ts";
import { Feed, dim } from "./feed.ts";
import { Lines } from "./lines.ts";
import { CommandPty } from "./pty.ts";
import { Typing } from "./typing.ts";
import { allEnded, exitWords, leftWords, terminalName } from "./words.ts";

export type Opened = Pick<TerminalInfo, "terminalId" | "callId" | "title" | "pipes">;

export interface ViewOptions {
  readonly link: Link;
  readonly name: CommandName;
  readonly opened: Opened;
  readonly running: boolean;
  readonly standing?: Standing;
  /** The end of an output of which nothing more is kept. */
  readonly tail?: string;
  /** The command is over, and its last output was shown. */
  readonly retired: (view: CommandView) => void;
  /** The person closed the terminal. */
  readonly closed: (view: CommandView) => void;
}

export class CommandView {
  readonly name: CommandName;
  readonly terminal: vscode.Terminal;
  /** Something of the command still runs. */
  running: boolean;
  /** Somebody brought it up, or typed into it. The editor tells of no terminal whether it can be seen. */
  seen = false;
  readonly #o: ViewOptions;
  readonly #pty: CommandPty;
  readonly #feed: Feed;
  readonly #keyboard: (text: string) => void;
  #standing: Standing;

  constructor(o: ViewOptions) {
    this.#o = o;
    this.name = o.name;
    this.running = o.running;
    this.#standing = o.standing ?? {};
    this.#pty = new CommandPty({
      opened: () => {
        this.#rename(); // nobody heard what it was called before
        this.#feed.watch();
      },
      typed: (text) => {
        this.seen = true;
        if (this.running && !this.#standing.exit) this.#keyboard(text);
      },
      resized: (cols, rows) => {
        if (this.running && !o.opened.pipes) void o.link.request("terminal/resize", { ...o.name, cols, rows }).catch(ignored);
      },
      closed: () => o.closed(this),
    });
    this.#feed = new Feed({
      write: (data) => this.#pty.write(data),
      ack: (offset) => o.link.notify("terminal/ack", { ...o.name, offset }),
      read: (offset, max) => o.link.request("terminal/read", { ...o.name, offset, max }),
      ended: (exit) => {
        this.#standing = exit ? { exit } : {};
        this.#rename();
        o.retired(this);
      },
    }, { ...(o.tail !== undefined && { tail: o.tail }), pipes: o.opened.pipes ?? false });
    this.#keyboard = this.#makeKeyboard();
    this.terminal = vscode.window.createTerminal({
      name: this.#title(), pty: this.#pty, iconPath: new vscode.ThemeIcon("terminal"), isTransient: true,
    });
  }

  show(keyboard: "moves" | "stays"): void {
    this.seen = true;
    this.terminal.show(keyboard === "stays");
  }

  output(piece: Pick<TerminalOutput, "offset" | "end" | "data">): void {
    this.#feed.output(piece);
  }

  stands(standing: Standing): void {
    const { exit, survivors } = standing;
    if (exit && survivors?.length && !this.#standing.exit) this.#feed.note(leftWords(exit, survivors));
    this.#standing = standing;
    this.#rename();
  }

  /** Nothing more comes; the exit is absent when nobody knows it. */
  end(exit: Exit | undefined, why?: string): void {
    const known = this.running && this.#standing.exit ? allEnded : exit && exitWords(exit);
    this.#feed.close(why ?? known ?? "its end is not known", exit);
  }

  /** Where no terminal echoes and edits, that is done here. */
  #makeKeyboard(): (text: string) => void {
    const { link, name, opened } = this.#o;
    const typing = new Typing(
      (text) => link.request("terminal/write", { ...name, text }),
      (thrown) => {
        if (!isOver(thrown)) this.#pty.write(dim(`not typed: ${toBridgeError(thrown).message}`));
      },
    );
    if (!opened.pipes) return (text) => typing.type(text);
    const said = new Set<string>();
    const lines = new Lines({
      echo: (text) => this.#feed.echo(text),
      send: (line) => typing.type(line),
      deaf: (key) => {
        if (!said.has(key)) this.#feed.note(`${key} does nothing: this command has no terminal; close this one to end it`);
        said.add(key);
      },
    });
    return (text) => lines.type(text);
  }

  #title(): string {
    return terminalName(this.#o.opened.title, this.#standing);
  }

  #rename(): void {
    this.#pty.rename(this.#title());
  }
}

/** The command ended while the message was under way. */
function isOver(thrown: unknown): boolean {
  const { kind } = toBridgeError(thrown);
  return kind === "closed" || kind === "unknownTerminal" || kind === "disconnected";
}

function ignored(): void {
  // The command has ended, or the bridge: there is nothing to resize.
}
