/**
 * What a person can do with sessions and turns, whichever button it was. It
 * knows the link and the conversations, not the editor.
 */
import type { BridgeError, Link } from "./bridge/link.ts";
import { toBridgeError } from "./bridge/link.ts";
import type { Conversation } from "./model/conversation.ts";
import { continuable, replaceable } from "./model/reduce.ts";
import type { Disposable } from "./model/listeners.ts";
import type { Sessions } from "./model/sessions.ts";
import { profileWordsOf } from "./model/profiles.ts";
import type { Block, Mode, Preset, Profile, Session, SessionConfigureParams, TurnStarted } from "./protocol.gen.ts";

export interface WorkOptions {
  readonly link: Link;
  readonly sessions: Sessions;
  /** What new sessions begin with. */
  readonly settings: () => Settings;
  readonly trusted: () => boolean;
  /** The workspace's first folder. */
  readonly folder: () => string | undefined;
  /** The session to come back to after a reload. */
  readonly memory: { get(): string | undefined; set(id: string | undefined): void };
  /** Says what went wrong to the person who asked for it. */
  readonly trouble: (text: string, hint?: string) => void;
}

export interface Settings {
  readonly model: string;
  readonly mode: Mode;
  /** Absent: what the bridge's own settings and the tools of the session say. */
  readonly preset?: Preset;
  /** Absent: what the bridge's own settings say. */
  readonly profile?: Profile;
}

/** Whatever is set: a workspace that nobody vouched for is looked at and not touched. */
export const untrusted: { readonly mode: Mode; readonly preset: Preset } = { mode: "read-only", preset: "read-only" };

const patience = 24;
const retryMs = 500;

export class Work {
  readonly #o: WorkOptions;
  /** Sessions that this process of the bridge has open. */
  readonly #open = new Set<string>();
  #restoring: Promise<void> = Promise.resolve();
  #making: Promise<Conversation | undefined> | undefined;

  constructor(o: WorkOptions) {
    this.#o = o;
  }

  /** The bridge is there, for the first time or again: shows what was shown before, once it has what it needs. */
  restore(ready: Promise<void> = Promise.resolve()): Promise<void> {
    this.#restoring = ready.then(() => this.#restore());
    return this.#restoring;
  }

  async #restore(): Promise<void> {
    this.#open.clear();
    const id = this.#o.sessions.current?.session.sessionId ?? this.#o.memory.get();
    if (id === undefined) {
      if (this.#o.folder() !== undefined) await this.#make();
      return;
    }
    try {
      await this.#loadPatiently(id);
    } catch (thrown) {
      const fault = toBridgeError(thrown);
      if (fault.kind === "disconnected") return;
      if (fault.kind !== "unknownSession") this.#tell("The last session cannot be shown", fault);
      this.#show(undefined);
      await this.#make();
    }
  }

  /** The session that is shown, or is about to be; a new one when there is none. */
  async ensure(): Promise<Conversation | undefined> {
    await this.#settled();
    return this.#o.sessions.current ?? this.#make();
  }

  #make(): Promise<Conversation | undefined> {
    this.#making ??= this.#new().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** A session in which nothing was said yet is as good as a new one. */
  async newSession(): Promise<Conversation | undefined> {
    await this.#settled();
    const current = this.#o.sessions.current;
    return current && current.items.length === 0 ? current : this.#new();
  }

  /** A session whose model has these tools. One in which nothing was said yet makes way for it. */
  async newSessionWith(profile: Profile): Promise<Conversation | undefined> {
    await this.#settled();
    const current = this.#o.sessions.current;
    if (current?.items.length !== 0) return this.#new({ profile });
    const { profile: now, model } = current.session;
    return now === profile ? current : this.#instead(current.session.sessionId, { profile, model });
  }

  /** A new session in place of one in which nothing was said. */
  async #instead(sessionId: string, like: Partial<Settings>): Promise<Conversation | undefined> {
    const made = await this.#new(like);
    if (!made) return undefined;
    this.#open.delete(sessionId);
    await this.#attempt("The old session cannot be closed", () => this.#o.link.request("session/close", { sessionId }));
    return made;
  }

  async #new(like: Partial<Settings> = {}): Promise<Conversation | undefined> {
    const { link, sessions } = this.#o;
    const { model, mode, preset, profile } = { ...this.#o.settings(), ...like };
    const allowed = this.#o.trusted() ? { mode, ...(preset !== undefined && { preset }) } : untrusted;
    try {
      const { session } = await link.request("session/new", {
        ...(model !== "" && { model }), ...(profile !== undefined && { profile }), ...allowed,
      });
      this.#open.add(session.sessionId);
      const conversation = sessions.adopt(session);
      this.#show(session.sessionId);
      return conversation;
    } catch (thrown) {
      this.#tell("No session could be started", toBridgeError(thrown));
      return undefined;
    }
  }

  async list(): Promise<readonly Session[]> {
    const folder = this.#o.folder();
    const { sessions } = await this.#o.link.request("session/list", folder === undefined ? {} : { cwd: folder });
    return sessions.filter((s) => s.title !== "" || s.sessionId === this.#o.sessions.current?.session.sessionId);
  }

  /** Shows another session, from disk when this process has not opened it. */
  async switchTo(id: string): Promise<void> {
    await this.#settled();
    if (this.#open.has(id)) return this.#show(id);
    await this.#attempt("The session cannot be shown", () => this.#load(id));
  }

  /** Starts a turn, or says it to the one that runs. False: it did not get through; the text is still the person's. */
  async send(content: readonly Block[]): Promise<boolean> {
    if (content.length === 0) return false;
    const conversation = await this.ensure();
    if (!conversation) return false;
    const running = conversation.turnId;
    if (running === undefined) return this.#prompt(conversation, content, undefined, () => this.#steer(conversation, undefined, content));
    return this.#steer(conversation, running, content);
  }

  /** Sends the last prompt again with another text. */
  async resend(turnId: string, content: readonly Block[]): Promise<boolean> {
    await this.#settled();
    const conversation = this.#o.sessions.current;
    if (!conversation || content.length === 0) return false;
    if (replaceable(conversation) !== turnId) {
      this.#o.trouble("Only the last prompt can be sent again.", "Stop the running turn first, if one runs.");
      return false;
    }
    return this.#prompt(conversation, content, turnId);
  }

  /** Takes up the last turn, which was interrupted or failed. */
  async continue(): Promise<void> {
    await this.#settled();
    const conversation = this.#o.sessions.current;
    if (!conversation || continuable(conversation) === undefined) {
      this.#o.trouble("There is no turn to continue.");
      return;
    }
    const { sessionId } = conversation.session;
    await this.#turn(sessionId, "The turn cannot be continued", () => this.#o.link.request("session/continue", { sessionId }));
  }

  async stop(): Promise<void> {
    const conversation = this.#o.sessions.current;
    if (!conversation) return;
    const { session: { sessionId }, turnId } = conversation;
    await this.#attempt("The turn cannot be stopped", () =>
      this.#o.link.request("session/cancel", { sessionId, ...(turnId !== undefined && { turnId }) }));
  }

  /** Ends a subagent of a session. One that has ended meanwhile is as good. */
  async stopSubagent(sessionId: string, subagentId: string): Promise<void> {
    await this.#attempt("The subagent cannot be stopped", async () => {
      try {
        await this.#o.link.request("subagent/kill", { sessionId, subagentId });
      } catch (thrown) {
        if (toBridgeError(thrown).kind !== "unknownSubagent") throw thrown;
      }
    });
  }

  /** Brings the conversation of a subagent back, to be read where it was started. */
  async loadChild(sessionId: string): Promise<void> {
    await this.#settled();
    await this.#attempt("The subagent's conversation cannot be shown", () => this.#replay(sessionId));
  }

  /** Changes the session that is shown. */
  async configure(change: Omit<SessionConfigureParams, "sessionId">): Promise<void> {
    const loosens = (change.mode ?? untrusted.mode) !== untrusted.mode || (change.preset ?? untrusted.preset) !== untrusted.preset;
    if (loosens && !this.#o.trusted()) {
      this.#o.trouble("This workspace is not trusted: the session stays read-only.", "Trust the workspace first.");
      return;
    }
    const conversation = await this.ensure();
    if (!conversation) return;
    const { sessionId } = conversation.session;
    await this.#attempt("The session cannot be changed", () => this.#configure(sessionId, change));
  }

  /** A session in which nothing was said yet follows the settings; one that has no model takes the one that is set. */
  async settingsChanged(): Promise<void> {
    const conversation = this.#o.sessions.current;
    if (!conversation || this.#o.link.connection.kind !== "ready") return;
    const { session, items } = conversation;
    const { model, mode, preset, profile } = this.#o.settings();
    if (items.length === 0 && profile !== undefined && profile !== session.profile) {
      await this.#instead(session.sessionId, { profile });
      return;
    }
    const change = {
      ...(model !== "" && model !== session.model && (items.length === 0 || session.model === "") && { model }),
      ...(items.length === 0 && this.#o.trusted() && { mode, ...(preset !== undefined && { preset }) }),
    };
    if (Object.keys(change).length === 0) return;
    await this.#attempt("The settings cannot be taken over", () => this.#configure(session.sessionId, change));
  }

  /**
   * A key came or went. A session that has no model and in which nothing was said
   * makes way for a new one, which begins with the model that can be asked now.
   */
  async modelsChanged(): Promise<void> {
    await this.#settled();
    const conversation = this.#o.sessions.current;
    if (!conversation || this.#o.link.connection.kind !== "ready") return;
    const { session: { sessionId, model, mode, preset, profile }, items } = conversation;
    if (model === "" && items.length === 0) await this.#instead(sessionId, { mode, preset, profile });
  }

  /** Gives every open session what the settings say, now that the workspace is trusted. */
  async trust(): Promise<void> {
    const { mode, preset: set } = this.#o.settings();
    for (const sessionId of this.#open) {
      const preset = set ?? profileWordsOf(this.#o.sessions.get(sessionId)?.session.profile ?? "default").preset;
      await this.#attempt("A session stays read-only", () => this.#configure(sessionId, { mode, preset }));
    }
  }

  /** What is asked for while a bridge starts waits for it, and for the session that it brings back. */
  async #settled(): Promise<void> {
    const { link } = this.#o;
    const isOnItsWay = (): boolean => link.connection.kind === "starting" || link.connection.kind === "restarting";
    if (isOnItsWay()) {
      await new Promise<void>((resolve) => {
        const listening = link.onConnection(() => {
          if (isOnItsWay()) return;
          listening.dispose();
          resolve();
        });
      });
    }
    await this.#restoring;
  }

  /** After a reload the bridge of the window before may still be ending, and owns the session until then. */
  async #loadPatiently(id: string): Promise<void> {
    for (let left = patience; ; left--) {
      try {
        return await this.#load(id);
      } catch (thrown) {
        if (toBridgeError(thrown).kind !== "sessionBusy" || left === 0) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #load(id: string): Promise<void> {
    await this.#replay(id);
    this.#open.add(id);
    this.#show(id);
    if (!this.#o.trusted()) await this.#configure(id, untrusted);
  }

  async #replay(id: string): Promise<void> {
    const { link, sessions } = this.#o;
    sessions.beginLoad(id);
    try {
      const { session, lastSeq } = await link.request("session/load", { sessionId: id });
      sessions.endLoad(session, lastSeq);
    } catch (thrown) {
      sessions.failLoad(id);
      throw thrown;
    }
  }

  async #configure(sessionId: string, change: Omit<SessionConfigureParams, "sessionId">): Promise<void> {
    const { session } = await this.#o.link.request("session/configure", { sessionId, ...change });
    this.#o.sessions.adopt(session);
  }

  /** Overtaken: what is done when a turn runs already, which the end of a background command began. */
  #prompt(conversation: Conversation, content: readonly Block[], replaces?: string, overtaken?: () => Promise<boolean>): Promise<boolean> {
    const { sessionId } = conversation.session;
    const params = { sessionId, content, ...(replaces !== undefined && { replaces }) };
    return this.#turn(sessionId, "The prompt was not sent", () => this.#o.link.request("session/prompt", params), overtaken);
  }

  /** Waits until the turn has begun or failed to. Its end is told by events. */
  async #turn(
    sessionId: string, what: string, request: () => Promise<unknown>, overtaken?: () => Promise<boolean>,
  ): Promise<boolean> {
    let listening: Disposable | undefined;
    const begun = new Promise<void>((resolve) => {
      listening = this.#o.sessions.onUpdate((id, update) => {
        const started = id === sessionId && update.kind === "event" && update.method === "turn/started" ? update.params : undefined;
        if (started && !(started as TurnStarted).background) resolve();
      });
    });
    try {
      const turn = request();
      await Promise.race([turn, begun]);
      turn.catch((thrown: unknown) => this.#lost(toBridgeError(thrown)));
      return true;
    } catch (thrown) {
      const fault = toBridgeError(thrown);
      if (overtaken && fault.kind === "turnRunning") return await overtaken();
      this.#tell(what, fault);
      return false;
    } finally {
      listening?.dispose();
    }
  }

  async #steer(conversation: Conversation, turnId: string | undefined, content: readonly Block[]): Promise<boolean> {
    const { sessionId } = conversation.session;
    try {
      await this.#o.link.request("session/steer", { sessionId, ...(turnId !== undefined && { expectedTurnId: turnId }), content });
      this.#o.sessions.queue(sessionId, content);
      return true;
    } catch (thrown) {
      const fault = toBridgeError(thrown);
      if (fault.kind === "noTurn") return this.#prompt(conversation, content); // it ended meanwhile
      this.#tell("The text was not sent", fault);
      return false;
    }
  }

  /** A turn that was cut off by the loss of the bridge is shown as such; anything else is news. */
  #lost(fault: BridgeError): void {
    if (fault.kind !== "disconnected") this.#tell("The turn ended unexpectedly", fault);
  }

  async #attempt(what: string, f: () => Promise<unknown>): Promise<void> {
    try {
      await f();
    } catch (thrown) {
      this.#tell(what, toBridgeError(thrown));
    }
  }

  #tell(what: string, fault: BridgeError): void {
    this.#o.trouble(`${what}: ${fault.message}`, fault.hint);
  }

  #show(id: string | undefined): void {
    this.#o.sessions.show(id);
    this.#o.memory.set(id);
  }
}
