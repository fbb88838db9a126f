/**
 * Settings that the workspace brings. They count for nothing until the person
 * trusts exactly them: all that they would do is unfolded, to the letter,
 * before there is a button that says yes.
 */
import { Keyed, button, el, freshId, icon, setAttr, setHidden } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { post } from "./host.ts";
import { CommandText, seen } from "./seen.ts";
import type { Scene } from "./scene.ts";
import { count } from "./words.ts";
import { kindWords, trustSummary } from "../model/trusts.ts";
import type { Trust, TrustItem, TrustRequired } from "../protocol.gen.ts";

export class Trusting {
  readonly element = el("div", { class: "banners" });
  readonly #cards: Keyed<CardShown>;

  constructor() {
    this.#cards = new Keyed(this.element, (shown) => new Card(shown));
  }

  /** In a workspace that the editor does not trust nothing of it is asked about. */
  update(scene: Scene): void {
    const shown = (scene.trusted ? scene.trusts : []).map((required) => ({ required, scene }));
    this.#cards.update(shown, ({ required }) => nameOf(required));
  }

  /** Unfolds the first one and moves the keyboard to it, not to one of its buttons. */
  focus(): boolean {
    const card = this.element.querySelector<HTMLElement>(".trust-card");
    card?.dispatchEvent(new Event("unfold"));
    card?.focus();
    return card !== null;
  }
}

interface CardShown {
  readonly required: TrustRequired;
  readonly scene: Scene;
}

function nameOf({ workspace, digest }: TrustRequired): string {
  return `${workspace} ${digest}`;
}

class Card implements Shown<CardShown> {
  readonly element: HTMLElement;
  readonly #details: HTMLElement;
  readonly #review: HTMLButtonElement;
  readonly #answers: readonly HTMLButtonElement[];
  #shown: CardShown;

  constructor(shown: CardShown) {
    this.#shown = shown;
    const { required } = shown;
    const { files, items, changed } = required;
    this.#answers = [
      button({ label: "Trust", icon: "check" }, () => this.#answer("yes")),
      button({ label: "Do not trust", icon: "close" }, () => this.#answer("no")),
    ];
    this.#details = el(
      "div",
      { class: "trust-details", hidden: true, attrs: { id: freshId("trust") } },
      el("div", { class: "trust-scroll", attrs: { tabindex: "0", role: "group", "aria-label": "All that they would do" } },
        el("ul", { class: "trust-files", attrs: { "aria-label": count(files.length, "file") } }, ...files.map((file) => el("li", {}, fileButton(required, file)))),
        items.length === 0 ? el("p", { class: "muted", text: "Nothing that is known." }) : el("ul", { class: "trust-items" }, ...items.map(itemView)),
      ),
      el("div", { class: "banner-buttons" }, ...this.#answers),
    );
    this.#review = button({ label: "Review…", attrs: { "aria-expanded": "false", "aria-controls": this.#details.id } }, () => this.#fold(!this.#details.hidden));
    const line = changed ? "The workspace's own settings have changed" : "This workspace brings settings of its own";
    const why = `${changed ? "They do not count any more" : "They do not count"} until you trust them: ${trustSummary(items) || "nothing that is known"}.`;
    this.element = el(
      "section",
      { class: "banner trust-card", attrs: { "aria-label": line, tabindex: "-1" } },
      icon("shield"),
      el("div", { class: "banner-text" },
        el("strong", { text: line }),
        el("p", { class: "trust-folder" }, ...seen(required.workspace, "code")),
        el("p", { text: why }),
        el("div", { class: "banner-buttons" }, this.#review),
        this.#details,
      ),
    );
    this.element.addEventListener("unfold", () => this.#fold(false));
  }

  update(shown: CardShown): void {
    this.#shown = shown;
    const isAnswering = shown.scene.answering.has(nameOf(shown.required));
    for (const b of this.#answers) b.disabled = isAnswering;
  }

  #fold(isFolded: boolean): void {
    setHidden(this.#details, isFolded);
    setAttr(this.#review, "aria-expanded", String(!isFolded));
  }

  /** Once, unless it is said that it did not count. */
  #answer(trust: Trust): void {
    const { required, scene } = this.#shown;
    if (scene.answering.has(nameOf(required))) return;
    scene.answering.add(nameOf(required));
    this.update(this.#shown);
    post({ kind: "trust", workspace: required.workspace, digest: required.digest, trust });
  }
}

function fileButton({ workspace }: TrustRequired, file: string): HTMLElement {
  const b = button({ label: "", look: "link", icon: "go-to-file", title: "Show the file" }, () => post({ kind: "open", uri: fileUri(`${workspace}/${file}`) }));
  b.querySelector(".button-label")?.append(...seen(file, "code"));
  return b;
}

function fileUri(path: string): string {
  const slashes = path.replaceAll("\\", "/").replace(/^(?!\/)/, "/");
  return `file://${slashes.split("/").map(encodeURIComponent).join("/")}`;
}

function itemView({ kind, what, command }: TrustItem): HTMLElement {
  return el(
    "li",
    { class: "trust-item" },
    el("span", { class: "trust-kind" }, ...seen(kindWords[kind] ?? kind), ":"),
    " ",
    el("span", {}, ...seen(what)),
    command !== undefined && new CommandText(command).element,
  );
}
