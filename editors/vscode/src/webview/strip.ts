/** The line above the prompt box: what goes on, how many questions wait and where they are, what went wrong. */
import { button, el, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import { post } from "./host.ts";
import { isRunning, questions } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { setSeen } from "./seen.ts";
import { elapsed, stateLine } from "./words.ts";
import { waitingCommand } from "../model/running.ts";
import type { CommandName } from "../model/running.ts";
import { firstLine, visible } from "../model/visible.ts";

export class Strip {
  readonly element = el("div", { class: "strips" });
  readonly #state = el("div", { class: "strip" });
  readonly #icon = icon("loading");
  readonly #text = el("span", { class: "strip-text" });
  readonly #time = el("span", { class: "strip-time" });
  readonly #go: HTMLButtonElement;
  readonly #show: HTMLButtonElement;
  readonly #trouble = el("div", { class: "strip trouble", attrs: { role: "alert" } });
  readonly #troubleText = el("span", { class: "strip-text" });

  #waiting: CommandName | undefined;

  constructor(next: () => void, dismiss: () => void) {
    this.#go = button({ label: "Review", look: "link", class: "go", title: "Go to the next question" }, next);
    this.#show = button({ label: "Show terminal", look: "link", class: "go" }, () => {
      if (this.#waiting) post({ kind: "showTerminal", ...this.#waiting });
    });
    this.#state.append(this.#icon, this.#text, this.#time, this.#go, this.#show);
    this.#trouble.append(
      icon("warning"),
      this.#troubleText,
      button({ label: "Dismiss", icon: "close", look: "icon" }, dismiss),
    );
    this.element.append(this.#trouble, this.#state);
  }

  update(scene: Scene): void {
    const open = questions(scene).length;
    const runs = isRunning(scene);
    const state = scene.conversation?.state;
    setHidden(this.#state, !state || (!runs && open === 0));
    if (state) {
      const asks = open > 0;
      const waiting = asks || !scene.conversation ? undefined : waitingCommand([scene.conversation, ...Object.values(scene.children)]);
      this.#waiting = waiting && { sessionId: waiting.sessionId, terminalId: waiting.terminalId };
      this.#state.classList.toggle("asks", asks || waiting !== undefined);
      setIcon(this.#icon, asks ? "question" : waiting ? "keyboard" : state.state === "retry" ? "sync" : "loading codicon-modifier-spin");
      const line = waiting ? `Waits for typing: ${firstLine(waiting.title)}` : stateLine(asks ? { ...state, state: "approval" } : state, open);
      setSeen(this.#text, line);
      setAttr(this.#text, "title", visible(line));
      this.#state.classList.toggle("retry", !asks && state.state === "retry");
      setText(this.#time, runs && !asks ? elapsed(Date.now() - state.since) : "");
      setHidden(this.#go, !asks);
      setHidden(this.#show, !waiting);
    }
    setHidden(this.#trouble, !scene.trouble);
    setText(
      this.#troubleText,
      scene.trouble ? [scene.trouble.text, scene.trouble.hint].filter(Boolean).join(" — ") : "",
    );
  }
}
