/** What must be known before anything is asked: the bridge is away, or the workspace is not trusted. */
import { button, el, icon, setHidden, setText } from "./elements.ts";
import { post } from "./host.ts";
import type { Scene } from "./scene.ts";
import type { Connection } from "../conversation/messages.ts";
import { elapsed } from "./words.ts";

type Help = Extract<Connection, { kind: "failed" }>["help"];

export class Banner {
  readonly element = el("div", { class: "banners" });
  readonly #connection = el("section", { class: "banner", attrs: { "aria-label": "Connection" } });
  readonly #trust = el("section", { class: "banner", attrs: { "aria-label": "Trust" } });
  #shown: Connection | undefined;
  #until = 0;
  #wait: HTMLElement | undefined;

  constructor() {
    this.#trust.append(
      icon("workspace-untrusted"),
      text(
        "Read-only",
        "This workspace is not trusted: the agent can look and propose, and changes nothing.",
        buttons(button({ label: "Trust…" }, () => post({ kind: "help", what: "trust" }))),
      ),
    );
    this.element.append(this.#connection, this.#trust);
  }

  update(scene: Scene): void {
    setHidden(this.#trust, scene.trusted);
    const { connection } = scene;
    if (connection !== this.#shown) this.#draw(connection);
    if (this.#wait) setText(this.#wait, `Next try in ${elapsed(this.#until - Date.now() + 999)}`);
  }

  #draw(connection: Connection): void {
    this.#shown = connection;
    this.#wait = undefined;
    setHidden(this.#connection, connection.kind === "ready");
    this.#connection.classList.toggle("bad", connection.kind === "failed");
    if (connection.kind === "starting")
      this.#connection.replaceChildren(icon("loading codicon-modifier-spin"), text("Starting…"));
    else if (connection.kind === "restarting") this.#restarting(connection);
    else if (connection.kind === "failed") this.#failed(connection);
  }

  #restarting({ why, inMs }: Extract<Connection, { kind: "restarting" }>): void {
    this.#until = Date.now() + inMs;
    this.#wait = el("p");
    this.#connection.replaceChildren(
      icon("sync"),
      text("Drawbridge ended and is started again", why, this.#wait, buttons(helpButton("log", "secondary"))),
    );
  }

  #failed({ why, help }: Extract<Connection, { kind: "failed" }>): void {
    const others = (["log", "restart"] as const).filter((other) => other !== help);
    this.#connection.replaceChildren(
      icon("error"),
      text(
        "Drawbridge is not running",
        why,
        buttons(helpButton(help, "primary"), ...others.map((other) => helpButton(other, "link"))),
      ),
    );
  }
}

const helpWords: { readonly [H in Help]: string } = {
  install: "How to install",
  settings: "Open settings",
  settingsFile: "Open the settings file",
  log: "Show log",
  restart: "Start again",
};

function helpButton(help: Help, look: "primary" | "secondary" | "link"): HTMLButtonElement {
  return button({ label: helpWords[help], look }, () => post({ kind: "help", what: help }));
}

function buttons(...all: HTMLElement[]): HTMLElement {
  return el("div", { class: "banner-buttons" }, ...all);
}

function text(line: string, why?: string, ...more: HTMLElement[]): HTMLElement {
  return el("div", { class: "banner-text" }, el("strong", { text: line }), why && el("p", { text: why }), ...more);
}
