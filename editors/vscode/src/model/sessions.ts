/**
 * The conversations of this window. Events go to the one they are about. While
 * a session is being loaded its replay grows aside, and takes the place of what
 * is shown in one step when it is whole: nothing flickers.
 */
import type { Conversation, EventName } from "./conversation.ts";
import { Listeners } from "./listeners.ts";
import type { Disposable } from "./listeners.ts";
import { asked, cutOff, newConversation, queued, reduce, withdrawn } from "./reduce.ts";
import type { ApprovalRequestParams, Block, NotificationsToEditor, Session } from "../protocol.gen.ts";

export class Sessions {
  readonly #all = new Map<string, Conversation>();
  readonly #loading = new Map<string, Conversation>();
  readonly #changed = new Listeners<[string]>();
  readonly #replaced = new Listeners<[string]>();
  readonly #shown = new Listeners<[string | undefined]>();
  #current: string | undefined;

  /** The conversation that is shown. */
  get current(): Conversation | undefined {
    return this.#current === undefined ? undefined : this.#all.get(this.#current);
  }

  get(id: string): Conversation | undefined {
    return this.#all.get(id);
  }

  get all(): readonly Conversation[] {
    return [...this.#all.values()];
  }

  /** A conversation changed in some way. */
  onChange(f: (id: string) => void): Disposable {
    return this.#changed.add(f);
  }

  /** A conversation is another object than before: after a load, and when its bridge was lost. */
  onReplaced(f: (id: string) => void): Disposable {
    return this.#replaced.add(f);
  }

  /** Another session is shown, or none. */
  onShown(f: (id: string | undefined) => void): Disposable {
    return this.#shown.add(f);
  }

  show(id: string | undefined): void {
    if (id === this.#current) return;
    this.#current = id;
    this.#shown.fire(id);
  }

  /** Takes a description of a session in that came in an answer. */
  adopt(session: Session): Conversation {
    const known = this.#all.get(session.sessionId);
    if (known) known.session = session;
    const conversation = known ?? newConversation(session);
    this.#all.set(session.sessionId, conversation);
    this.#changed.fire(session.sessionId);
    return conversation;
  }

  apply(method: EventName, params: NotificationsToEditor[EventName]["params"]): void {
    const id = params.sessionId;
    const conversation = this.#loading.get(id) ?? this.#all.get(id) ?? this.#introduce(method, params);
    if (!conversation) return;
    const before = conversation.lastSeq;
    reduce(conversation, method, params);
    if (conversation.lastSeq !== before && !this.#loading.has(id)) this.#changed.fire(id);
  }

  ask(approval: ApprovalRequestParams): void {
    this.#withBoth(approval.sessionId, (c) => asked(c, approval));
  }

  withdraw(approval: ApprovalRequestParams): void {
    this.#withBoth(approval.sessionId, (c) => withdrawn(c, approval.approvalId));
  }

  queue(id: string, content: readonly Block[]): void {
    this.#withBoth(id, (c) => queued(c, content));
  }

  /** From here on the events of the session are its whole history. */
  beginLoad(id: string): void {
    this.#loading.set(id, newConversation({ sessionId: id } as Session));
  }

  endLoad(session: Session, lastSeq: number): void {
    const id = session.sessionId;
    const conversation = this.#loading.get(id) ?? newConversation(session);
    this.#loading.delete(id);
    conversation.session = session;
    conversation.lastSeq = Math.max(conversation.lastSeq, lastSeq);
    conversation.state = { ...conversation.state, state: session.state };
    this.#all.set(id, conversation);
    this.#replaced.fire(id);
    this.#changed.fire(id);
  }

  failLoad(id: string): void {
    this.#loading.delete(id);
  }

  /** The bridge is gone: nothing runs any more and nobody waits for an answer. */
  cutOff(): void {
    this.#loading.clear();
    for (const [id, conversation] of this.#all) {
      cutOff(conversation);
      this.#replaced.fire(id);
      this.#changed.fire(id);
    }
  }

  /** A session may be described before the request that made it is answered. */
  #introduce(method: EventName, params: NotificationsToEditor[EventName]["params"]): Conversation | undefined {
    if (method !== "session/updated") return undefined;
    return this.adopt((params as NotificationsToEditor["session/updated"]["params"]).session);
  }

  #withBoth(id: string, change: (c: Conversation) => void): void {
    for (const c of [this.#loading.get(id), this.#all.get(id)]) if (c) change(c);
    this.#changed.fire(id);
  }
}
