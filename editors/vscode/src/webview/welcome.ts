/** What is shown while nothing was asked yet. */
import { button, el, icon, setHidden } from "./elements.ts";
import { post } from "./host.ts";
import type { Scene } from "./scene.ts";

const examples = [
  "Explain how this project is built",
  "Find and fix a failing test",
  "Add a test for the file I have open",
];

export class Welcome {
  readonly element = el("section", { class: "welcome", attrs: { "aria-label": "Welcome" } });
  readonly #key: HTMLElement;

  constructor(take: (text: string) => void) {
    this.#key = el(
      "div",
      { class: "welcome-key" },
      el("p", { text: "No model can be asked yet." }),
      button({ label: "Set a key…", icon: "key", look: "primary" }, () => post({ kind: "setKey" })),
    );
    this.element.append(
      icon("comment-discussion"),
      el("h2", { text: "Ask for a change" }),
      el("p", {
        text: "Edits come to you as diffs, commands run where you can watch them, and nothing happens before you said yes.",
      }),
      this.#key,
      el(
        "ul",
        { class: "examples", attrs: { "aria-label": "Examples" } },
        ...examples.map((text) =>
          el(
            "li",
            {},
            button({ label: text, title: "Put it into the prompt" }, () => take(text)),
          ),
        ),
      ),
      el("p", { class: "muted", text: "@ mentions a file. Enter sends, Shift+Enter begins a new line." }),
    );
  }

  update(scene: Scene): void {
    setHidden(this.element, scene.connection.kind === "failed" || (scene.conversation?.items.length ?? 0) > 0);
    setHidden(this.#key, !lacksKey(scene));
  }
}

/** The provider of the session's model is not ready; without a model, none is. What is not known is not complained of. */
function lacksKey({ providers, conversation }: Scene): boolean {
  const model = conversation?.session.model ?? "";
  if (model === "") return providers.length > 0 && providers.every(({ ready }) => !ready);
  return providers.some(({ name, ready }) => !ready && model.startsWith(`${name}:`));
}
