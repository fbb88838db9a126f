/** The prompt box. Enter sends what is written in it and does nothing else, whatever waits for an answer meanwhile. */
import { button, el, setAttr, setHidden, setText } from "./elements.ts";
import { Chips } from "./chips.ts";
import { Listbox } from "./listbox.ts";
import { complete, queryAt } from "./mention.ts";
import { Pickers } from "./pickers.ts";
import { post } from "./host.ts";
import { isRunning } from "./scene.ts";
import type { Query } from "./mention.ts";
import type { Scene } from "./scene.ts";
import { count } from "./words.ts";
import { tokens } from "../model/models.ts";
import type { Mention } from "../conversation/messages.ts";
import type { Conversation } from "../model/conversation.ts";

type File = { readonly uri: string; readonly name: string; readonly path: string };

/** A draft is handed over when nothing was typed for so long. */
const restMs = 300;

export class Composer {
  readonly element: HTMLElement;
  readonly #input: HTMLTextAreaElement;
  readonly #chips = new Chips(
    () => this.#saveDraft(),
    () => this.focus(),
  );
  readonly #popup = el("div", { class: "popup files", hidden: true });
  readonly #files: Listbox;
  readonly #pickers = new Pickers();
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #usage = el("div", { class: "usage" });
  readonly #announce: (text: string) => void;
  #found: readonly File[] = [];
  #query: Query | null = null;
  #request = 0;
  #canSend = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(announce: (text: string) => void) {
    this.#announce = announce;
    this.#input = el("textarea", {
      class: "prompt-input",
      attrs: { rows: "1", "aria-label": "Prompt", "aria-autocomplete": "list", "aria-multiline": "true" },
    });
    this.#files = new Listbox("Files", (uri) => this.#mentionFile(uri));
    this.#popup.append(this.#files.element);
    this.#send = button({ label: "Send", icon: "send", look: "primary", class: "send" }, () => this.#submit());
    this.#stop = button({ label: "Stop", icon: "debug-stop", class: "stop", title: "Stop the turn" }, () =>
      post({ kind: "stop" }),
    );
    const at = button({ label: "Mention a file (@)", icon: "mention", look: "icon" }, () => this.#typeAt());
    const selection = button({ label: "Add the editor's selection", icon: "list-selection", look: "icon" }, () =>
      post({ kind: "addSelection" }),
    );
    this.element = el(
      "form",
      { class: "composer", attrs: { "aria-label": "Prompt" } },
      el(
        "div",
        { class: "composer-box" },
        this.#chips.element,
        this.#input,
        this.#popup,
        el("div", { class: "composer-bar" }, at, selection, el("span", { class: "spring" }), this.#stop, this.#send),
      ),
      el("div", { class: "composer-foot" }, this.#pickers.element, this.#usage),
    );
    this.#listen();
  }

  update(scene: Scene): void {
    const { connection, conversation } = scene;
    const runs = isRunning(scene);
    this.#canSend = connection.kind === "ready";
    setHidden(this.#stop, !runs);
    this.#send.disabled = !this.#canSend;
    const word = this.#send.querySelector<HTMLElement>(".button-label");
    if (word) setText(word, runs ? "Steer" : "Send");
    setAttr(this.#send, "title", sendTitle(this.#canSend, runs));
    setAttr(this.#input, "placeholder", runs ? "Add to the running turn" : "Ask for a change. @ mentions a file.");
    this.#pickers.update(scene);
    this.#showUsage(conversation);
  }

  focus(): void {
    this.#input.focus();
  }

  get isEmpty(): boolean {
    return this.#input.value === "";
  }

  setText(text: string): void {
    this.#input.value = text;
    this.#changed();
  }

  /** The text is there, as paragraphs of its own. */
  has(text: string): boolean {
    return `\n\n${this.#input.value.trim()}\n\n`.includes(`\n\n${text.trim()}\n\n`);
  }

  /** Adds to what is there already: nobody's words are overwritten, and none stand there twice. */
  addText(text: string): void {
    if (this.has(text)) return;
    this.setText(this.isEmpty ? text : `${this.#input.value.trimEnd()}\n\n${text}`);
  }

  setMentions(mentions: readonly Mention[]): void {
    this.#chips.set(mentions);
  }

  addMention(mention: Mention): void {
    this.#chips.add(mention);
    this.#announce(`Added ${mention.name}`);
  }

  showFiles(request: number, files: readonly File[]): void {
    if (request !== this.#request || !this.#query) return;
    this.#found = files;
    this.#files.ownedBy(this.#input);
    this.#files.set(
      [
        {
          choices: files.map(({ uri, name, path }) => ({ id: uri, label: name, detail: folderOf(path), icon: "file" })),
        },
      ],
      "No file of that name",
    );
    setHidden(this.#popup, false);
    this.#announce(count(files.length, "file"));
  }

  #listen(): void {
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("input", () => this.#changed());
    this.#input.addEventListener("click", () => this.#findFiles());
    this.#input.addEventListener("keyup", (event) => {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.#findFiles();
    });
    this.#input.addEventListener("blur", () => this.#closePopup());
    window.addEventListener("pagehide", () => this.#handOver());
    document.addEventListener("visibilitychange", () => document.hidden && this.#handOver());
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (!this.#popup.hidden) {
      if (event.key === "Escape") this.#closePopup();
      else if (this.#files.isEmpty || !this.#files.key(event)) return this.#plainKey(event);
      event.preventDefault();
      return event.stopPropagation();
    }
    this.#plainKey(event);
  }

  #plainKey(event: KeyboardEvent): void {
    const isAtStart = this.#input.selectionStart === 0 && this.#input.selectionEnd === 0;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#submit();
    } else if ((event.key === "Backspace" || event.key === "ArrowLeft") && isAtStart && this.#chips.focusLast())
      event.preventDefault();
  }

  #submit(): void {
    const text = this.#input.value.trim();
    if (!this.#canSend || (text === "" && this.#chips.mentions.length === 0)) return;
    post({ kind: "send", text, mentions: this.#chips.mentions });
    this.#chips.set([]);
    this.setText("");
    this.#handOver();
  }

  #changed(): void {
    this.#findFiles();
    this.#saveDraft();
  }

  #saveDraft(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#handOver(), restMs);
  }

  #handOver(): void {
    clearTimeout(this.#timer);
    post({ kind: "draft", text: this.#input.value, mentions: this.#chips.mentions });
  }

  #findFiles(): void {
    const { value, selectionStart, selectionEnd } = this.#input;
    const isHere = document.activeElement === this.#input && selectionStart === selectionEnd;
    const query = isHere ? queryAt(value, selectionStart) : null;
    if (!query) return this.#closePopup();
    if (this.#query?.text === query.text && this.#query.start === query.start) return;
    this.#query = query;
    this.#request += 1;
    post({ kind: "findFiles", request: this.#request, query: query.text });
  }

  #mentionFile(uri: string): void {
    const file = this.#found.find((f) => f.uri === uri);
    if (!file || !this.#query) return;
    const done = complete(this.#input.value, this.#query, file.path);
    this.#closePopup();
    this.setText(done.text);
    this.#input.setSelectionRange(done.caret, done.caret);
    this.addMention({ kind: "file", uri, name: file.name });
  }

  #closePopup(): void {
    this.#query = null;
    this.#request += 1; // an answer under way comes too late
    setHidden(this.#popup, true);
    this.#input.removeAttribute("aria-activedescendant");
    this.#input.removeAttribute("aria-controls");
  }

  #typeAt(): void {
    this.focus();
    const { value, selectionStart } = this.#input;
    const gap = selectionStart === 0 || /\s/u.test(value[selectionStart - 1] ?? "") ? "" : " ";
    this.#input.setRangeText(`${gap}@`, selectionStart, this.#input.selectionEnd, "end");
    this.#changed();
  }

  #showUsage(conversation: Conversation | null): void {
    const { contextTokens: used, contextLimit: limit, total } = conversation ?? {};
    const parts = [
      used !== undefined &&
        (limit === undefined ? `${tokens(used)} in context` : `${tokens(used)} of ${tokens(limit)} context`),
      total &&
        total.inputTokens + total.outputTokens > 0 &&
        `${tokens(total.inputTokens)} in, ${tokens(total.outputTokens)} out`,
    ].filter((part) => typeof part === "string");
    const text = parts.join(" · ");
    if (this.#usage.dataset["text"] === text) return;
    this.#usage.dataset["text"] = text;
    const meter = used !== undefined && limit ? meterOf(used / limit) : null;
    this.#usage.replaceChildren(...(meter ? [meter] : []), ...parts.map((part) => el("span", { text: part })));
    this.#usage.title = total
      ? `Tokens of the session: ${count(total.inputTokens, "token")} sent, ${count(total.outputTokens, "token")} received`
      : "";
    setHidden(this.#usage, text === "");
  }
}

function sendTitle(canSend: boolean, runs: boolean): string {
  if (!canSend) return "Drawbridge is not running";
  return runs ? "Add this to the running turn (Enter)" : "Send (Enter; Shift+Enter begins a new line)";
}

function meterOf(part: number): HTMLElement {
  const bar = el(
    "span",
    { class: part > 0.85 ? "meter full" : "meter", attrs: { "aria-hidden": "true" } },
    el("span", { class: "meter-bar" }),
  );
  (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, Math.round(part * 100))}%`;
  return bar;
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}
