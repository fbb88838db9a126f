/**
 * The conversation view. It holds the same conversation as the extension,
 * changed by the same events, and draws it at most once a frame. It decides
 * nothing: every deed is a message to the extension.
 */
import "./style.css";
import { el, icon, setAttr, setHidden, setText } from "./elements.ts";
import { Announcer } from "./announcer.ts";
import { Banner } from "./banner.ts";
import { Composer } from "./composer.ts";
import { post } from "./host.ts";
import { Keyboard } from "./keyboard.ts";
import { Log } from "./log.ts";
import { setSeen } from "./seen.ts";
import { RunningList } from "./running.ts";
import { SessionList } from "./sessions.ts";
import { Strip } from "./strip.ts";
import { Trusting } from "./trusting.ts";
import { Welcome } from "./welcome.ts";
import { apply, isRunning, newScene, questions } from "./scene.ts";
import type { ToView } from "../conversation/messages.ts";
import { profileName, profileWordsOf } from "../model/profiles.ts";
import { visible } from "../model/visible.ts";
import type { Profile } from "../protocol.gen.ts";

class View {
  readonly #scene = newScene();
  readonly #keyboard = new Keyboard();
  readonly #announcer = new Announcer();
  readonly #banner = new Banner();
  readonly #trusting = new Trusting();
  readonly #log: Log;
  readonly #welcome: Welcome;
  readonly #sessions: SessionList;
  readonly #running: RunningList;
  readonly #strip: Strip;
  readonly #composer: Composer;
  readonly #title = el("span", { class: "title" });
  readonly #titleButton: HTMLButtonElement;
  /** Which tools the model has, where they are not the default ones. */
  readonly #profile = el("span", { class: "profile", hidden: true });
  #isDue = false;
  #hasDraft = false;
  #askedForModels = false;
  /** The question the keyboard was moved to last. */
  #visited = "";

  constructor() {
    const announce = (text: string): void => this.#announcer.say(text);
    this.#composer = new Composer(announce);
    const takeText = (text: string): void => {
      this.#composer.addText(text);
      this.#composer.focus();
    };
    this.#log = new Log({
      changed: () => this.#due(),
      announce,
      takeText,
      hasText: (text) => this.#composer.has(text),
    });
    this.#welcome = new Welcome(takeText);
    this.#sessions = new SessionList(() => this.#closeSessions());
    this.#running = new RunningList(
      () => this.#due(),
      ({ callId, sessionId }) => {
        this.#sessions.close();
        this.#log.focusSubagent(callId, sessionId);
      },
    );
    this.#strip = new Strip(
      () => this.#nextQuestion(),
      () => {
        this.#scene.trouble = null;
        this.#due();
      },
    );
    this.#titleButton = el(
      "button",
      { class: "title-button", attrs: { type: "button", "aria-expanded": "false" } },
      this.#title,
      icon("chevron-down"),
    );
    this.#titleButton.addEventListener("click", () => this.#toggleSessions());
    (document.getElementById("app") ?? document.body).append(
      el("header", { class: "head" }, el("h1", {}, this.#titleButton), this.#profile),
      this.#banner.element,
      this.#trusting.element,
      this.#sessions.element,
      this.#welcome.element,
      this.#log.element,
      el("footer", {}, this.#running.element, this.#strip.element, this.#composer.element),
      this.#announcer.element,
    );
  }

  start(): void {
    window.addEventListener("message", ({ data }: MessageEvent<ToView>) => this.#receive(data));
    setInterval(() => this.#ticks() && this.#due(), 1000);
    this.#draw();
    post({ kind: "ready" });
  }

  #receive(message: ToView): void {
    apply(this.#scene, message);
    switch (message.kind) {
      case "snapshot":
        this.#restoreDraft(message);
        break;
      case "files":
        this.#composer.showFiles(message.request, message.files);
        return;
      case "mention":
        this.#composer.addMention(message.mention);
        return;
      case "draft":
        this.#composer.addText(message.text);
        break;
      case "focus":
        this.#draw(); // what the keyboard goes to may have come in this very moment
        this.#focus(message);
        return;
      default:
    }
    this.#askForModels();
    this.#due();
  }

  /** Once, before the first prompt: a key that is missing is better known before than after. */
  #askForModels(): void {
    const { conversation, connection } = this.#scene;
    if (connection.kind !== "ready") this.#askedForModels = false; // the next bridge may know others
    if (this.#askedForModels || connection.kind !== "ready" || conversation?.items.length !== 0) return;
    this.#askedForModels = true;
    post({ kind: "listModels" });
  }

  #due(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    const scene = this.#scene;
    const { conversation } = scene;
    const title = visible(conversation?.session.title || "New session");
    setSeen(this.#title, conversation?.session.title || "New session");
    setAttr(this.#titleButton, "title", `${title} (shows all sessions)`);
    setAttr(this.#titleButton, "aria-label", `Sessions: ${title}`);
    this.#drawProfile(conversation?.session.profile ?? "default");
    this.#banner.update(scene);
    this.#trusting.update(scene);
    this.#sessions.update(scene);
    this.#welcome.update(scene);
    const isEmpty = (conversation?.items.length ?? 0) === 0 && questions(scene).length === 0;
    setHidden(this.#log.element, isEmpty || this.#sessions.isOpen);
    this.#keyboard.around(scene, () => this.#log.update(scene), (next) => this.#afterAnswer(next));
    if (this.#sessions.isOpen) setHidden(this.#welcome.element, true);
    this.#running.update(scene);
    this.#strip.update(scene);
    this.#composer.update(scene);
    this.#announcer.update(scene);
  }

  #drawProfile(profile: Profile): void {
    setHidden(this.#profile, profile === "default");
    setText(this.#profile, profileWordsOf(profile).label);
    setAttr(this.#profile, "title", `${profileName(profile)}: ${profileWordsOf(profile).detail}`);
  }

  /** Something on the screen counts seconds. */
  #ticks(): boolean {
    return isRunning(this.#scene) || this.#running.isShown || this.#scene.connection.kind === "restarting";
  }

  /** Later snapshots leave the prompt box alone: what stands in it was typed since. */
  #restoreDraft({ draft, mentions }: Extract<ToView, { kind: "snapshot" }>): void {
    if (this.#hasDraft) return;
    this.#hasDraft = true;
    if (!this.#composer.isEmpty) return;
    this.#composer.setText(draft);
    this.#composer.setMentions(mentions);
  }

  #focus({ what, approvalId }: Extract<ToView, { kind: "focus" }>): void {
    if (what === "prompt") this.#composer.focus();
    else if (what === "sessions") this.#sessions.isOpen || this.#toggleSessions();
    else if (what === "trust") this.#trusting.focus() || this.#composer.focus();
    else if (what === "resend") this.#log.editLastPrompt();
    else if (approvalId === undefined) this.#nextQuestion();
    else this.#visit(approvalId);
  }

  /** The one behind the one visited last, else the first. */
  #nextQuestion(): void {
    const open = questions(this.#scene);
    const at = open.findIndex(({ approvalId }) => approvalId === this.#visited);
    const next = open[at + 1] ?? open[0];
    if (next) this.#visit(next.approvalId);
  }

  #visit(approvalId: string): void {
    this.#visited = approvalId;
    this.#sessions.close();
    this.#log.focusQuestion(approvalId);
  }

  #afterAnswer(next: string | undefined): void {
    if (next !== undefined) this.#visit(next);
    else if (this.#log.element.hidden) this.#composer.focus();
    else this.#log.focus();
  }

  #toggleSessions(): void {
    if (this.#sessions.isOpen) return this.#sessions.close();
    this.#sessions.open();
    setAttr(this.#titleButton, "aria-expanded", "true");
    this.#draw();
  }

  #closeSessions(): void {
    setAttr(this.#titleButton, "aria-expanded", "false");
    this.#draw();
    this.#titleButton.focus();
  }
}

new View().start();
