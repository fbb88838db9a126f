/**
 * Typing for a command that has pipes instead of a terminal. Nothing echoes
 * there and nothing edits: both is done here, a line at a time, and the line
 * goes out when it ends. It knows no editor.
 */
export interface LinesDeps {
  /** Shows what was typed. */
  readonly echo: (text: string) => void;
  /** Sends a line, its end included. */
  readonly send: (line: string) => void;
  /** Says that a key does nothing here. */
  readonly deaf: (key: string) => void;
}

export class Lines {
  readonly #deps: LinesDeps;
  #line = "";

  constructor(deps: LinesDeps) {
    this.#deps = deps;
  }

  /** Takes what the editor's terminal says was typed or pasted. */
  type(data: string): void {
    for (const [key] of data.matchAll(keys)) this.#key(key);
  }

  #key(key: string): void {
    if (key === "\r" || key === "\n" || key === "\r\n") return this.#end();
    if (key === "\u007f" || key === "\b") return this.#erase(1);
    if (key === "\u0015") return this.#erase(this.#line.length);
    const name = signals.get(key);
    if (name !== undefined) return this.#deps.deaf(name);
    if (key < " " && key !== "\t") return; // arrows and their like edit nothing here
    this.#line += key;
    this.#deps.echo(key === "\t" ? " " : key); // of one width, so that it can be taken back
  }

  #end(): void {
    const line = `${this.#line}\n`;
    this.#line = "";
    this.#deps.echo("\r\n");
    this.#deps.send(line);
  }

  /** Takes characters, as a person counts them, off the end of the line. */
  #erase(most: number): void {
    const characters = [...segments.segment(this.#line)].map(({ segment }) => segment);
    const gone = characters.splice(Math.max(0, characters.length - most));
    this.#line = characters.join("");
    this.#deps.echo("\b \b".repeat(gone.reduce((cells, character) => cells + widthOf(character), 0)));
  }
}

/** Escape sequences are one key; everything else is a character. */
const keys = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?|\r\n|./gsu;

const signals: ReadonlyMap<string, string> = new Map([["\u0003", "Ctrl+C"], ["\u0004", "Ctrl+D"], ["\u001a", "Ctrl+Z"]]);

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** How many cells a terminal shows it in. */
function widthOf(character: string): number {
  return /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u.test(character) ? 2 : 1;
}
