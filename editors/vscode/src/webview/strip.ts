/** The line above the prompt box: what goes on, how many questions wait and where they are, what went wrong. */
import { button, el, icon, setAttr, setHidden, setIcon, setText } from "./elements.ts";
import { isRunning, questions } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { setSeen } from "./seen.ts";
import { elapsed, stateLine } from "./words.ts";
import { visible } from "../model/visible.ts";

export class Strip {
  readonly element = el("div", { class: "strips" });
  readonly #state = el("div", { class: "strip" });
  readonly #icon = icon("loading");
  readonly #text = el("span", { class: "strip-text" });
  readonly #time = el("span", { class: "strip-time" });
  readonly #go: HTMLButtonElement;
  readonly #trouble = el("div", { class: "strip trouble", attrs: { role: "alert" } });
  readonly #troubleText = el("span", { class: "strip-text" });

  constructor(next: () => void, dismiss: () => void) {
    this.#go = button({ label: "Review", look: "link", class: "go", title: "Go to the next question" }, next);
    this.#state.append(this.#icon, this.#text, this.#time, this.#go);
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
      this.#state.classList.toggle("asks", asks);
      setIcon(this.#icon, asks ? "question" : state.state === "retry" ? "sync" : "loading codicon-modifier-spin");
      const line = stateLine(asks ? { ...state, state: "approval" } : state, open);
      setSeen(this.#text, line);
      setAttr(this.#text, "title", visible(line));
      this.#state.classList.toggle("retry", !asks && state.state === "retry");
      setText(this.#time, runs && !asks ? elapsed(Date.now() - state.since) : "");
      setHidden(this.#go, !asks);
    }
    setHidden(this.#trouble, !scene.trouble);
    setText(
      this.#troubleText,
      scene.trouble ? [scene.trouble.text, scene.trouble.hint].filter(Boolean).join(" — ") : "",
    );
  }
}
