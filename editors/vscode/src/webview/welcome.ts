/** What is shown while nothing was asked yet. */
import { button, el, icon, setHidden, setText } from "./elements.ts";
import { post } from "./host.ts";
import type { Scene } from "./scene.ts";
import { profileWordsOf } from "../model/profiles.ts";

const examples = [
  "Explain how this project is built",
  "Find and fix a failing test",
  "Add a test for the file I have open",
];

export class Welcome {
  readonly element = el("section", { class: "welcome", attrs: { "aria-label": "Welcome" } });
  readonly #key: HTMLElement;
  readonly #lack = el("p");
  readonly #tools = button({ label: "", icon: "tools", look: "link", title: "Choose which tools the model has in this conversation" }, () =>
    post({ kind: "chooseProfile" }));

  constructor(take: (text: string) => void) {
    this.#key = el(
      "div",
      { class: "welcome-key" },
      this.#lack,
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
      el("p", { class: "welcome-tools" }, this.#tools),
      el("p", { class: "muted", text: "@ mentions a file. Enter sends, Shift+Enter begins a new line." }),
    );
  }

  update(scene: Scene): void {
    setHidden(this.element, scene.connection.kind === "failed" || (scene.conversation?.items.length ?? 0) > 0);
    const label = this.#tools.querySelector<HTMLElement>(".button-label");
    if (label) setText(label, `${profileWordsOf(scene.conversation?.session.profile ?? "default").label}…`);
    setHidden(this.#tools, !scene.conversation);
    const lack = lacks(scene);
    setHidden(this.#key, lack === "");
    setText(this.#lack, lack);
  }
}

/**
 * Why nothing can be asked, "" when something can: the provider of the session's
 * model is not ready; without a model, none is. What is not known is not complained of.
 */
function lacks({ providers, conversation }: Scene): string {
  const model = conversation?.session.model ?? "";
  if (model === "") return providers.length > 0 && providers.every(({ ready }) => !ready) ? "No model can be asked yet." : "";
  const provider = providers.find(({ name, ready }) => !ready && model.startsWith(`${name}:`));
  return provider ? `${provider.name} cannot be asked yet${provider.hint ? `: ${provider.hint}` : ""}.` : "";
}
