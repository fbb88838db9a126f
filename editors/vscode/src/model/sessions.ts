/**
 * The conversations of this window. Events go to the one they are about. While
 * a session is being loaded its replay grows aside, and takes the place of what
 * is shown in one step when it is whole: nothing flickers.
 */
import type { Conversation, EventName, Remembered } from "./conversation.ts";
import { Listeners } from "./listeners.ts";
import type { Disposable } from "./listeners.ts";
import { asked, cutOff, newConversation, queued, reduce, remembering, said, withdrawn } from "./reduce.ts";
import { introduced, shownIn } from "./subagents.ts";
import type { ApprovalRequestParams, Block, NotificationsToEditor, Origin, Session, TerminalOutput } from "../protocol.gen.ts";

/** What a holder of a copy of a conversation does to keep it the same. */
export type Update =
  | { kind: "event"; method: EventName; params: NotificationsToEditor[EventName]["params"] }
  | { kind: "asked"; approval: ApprovalRequestParams }
  | { kind: "withdrawn"; approvalId: string }
  | { kind: "remembering"; approvalId: string; remembered: Remembered }
  | { kind: "queued"; content: readonly Block[] }
  /** The last line of a command's output became another. Comes as fast as the output does. */
  | { kind: "lastLine"; terminalId: string; text: string }
  /** Copy it anew: it was loaded, or cut off. */
  | { kind: "replaced" };

export class Sessions {
  readonly #all = new Map<string, Conversation>();
  readonly #loading = new Map<string, Conversation>();
  readonly #changed = new Listeners<[string]>();
  readonly #updated = new Listeners<[string, Update]>();
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

  /** Those of the subagents that a session started, as far as something was heard of them. */
  childrenOf(id: string): readonly Conversation[] {
    return this.all.filter(({ session }) => session.origin?.sessionId === id);
  }

  /** The conversation can be seen: by itself, or within the one that started it. */
  isShown(id: string): boolean {
    const session = this.#all.get(id)?.session;
    return this.#current !== undefined && (id === this.#current || (session !== undefined && shownIn(session) === this.#current));
  }

  /** A conversation changed in some way. */
  onChange(f: (id: string) => void): Disposable {
    return this.#changed.add(f);
  }

  /** The same in detail; a load is one update at its end. */
  onUpdate(f: (id: string, update: Update) => void): Disposable {
    return this.#updated.add(f);
  }

  /** A conversation was loaded, or cut off. */
  onReplaced(f: (id: string) => void): Disposable {
    return this.onUpdate((id, update) => {
      if (update.kind === "replaced") f(id);
    });
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
    const loading = this.#loading.get(id);
    const conversation = loading ?? this.#all.get(id) ?? this.#introduce(method, params);
    if (!conversation) return;
    if (method === "terminal/output") return this.#said(conversation, params as TerminalOutput);
    const before = conversation.lastSeq;
    reduce(conversation, method, params);
    if (!loading && conversation.lastSeq !== before) this.#fire(id, { kind: "event", method, params });
  }

  ask(approval: ApprovalRequestParams): void {
    const { sessionId, origin } = approval;
    if (origin && !this.#all.has(sessionId)) this.#introduceChild(sessionId, origin);
    this.#change(approval.sessionId, { kind: "asked", approval }, (c) => asked(c, approval));
  }

  withdraw(approval: ApprovalRequestParams): void {
    const { sessionId, approvalId } = approval;
    this.#change(sessionId, { kind: "withdrawn", approvalId }, (c) => withdrawn(c, approvalId));
  }

  /** The answer to an open question is a yes that lasts. */
  remember({ sessionId, approvalId }: ApprovalRequestParams, remembered: Remembered): void {
    this.#change(sessionId, { kind: "remembering", approvalId, remembered }, (c) => remembering(c, approvalId, remembered));
  }

  queue(id: string, content: readonly Block[]): void {
    this.#change(id, { kind: "queued", content }, (c) => queued(c, content));
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
    this.#fire(id, { kind: "replaced" });
  }

  failLoad(id: string): void {
    this.#loading.delete(id);
  }

  /** The bridge is gone: nothing runs any more and nobody waits for an answer. */
  cutOff(): void {
    this.#loading.clear();
    for (const [id, conversation] of this.#all) {
      cutOff(conversation);
      this.#fire(id, { kind: "replaced" });
    }
  }

  /** Told in detail alone: whoever only wants to know that something changed need not run after every output. */
  #said(conversation: Conversation, output: TerminalOutput): void {
    const { terminalId } = output;
    if (!said(conversation, output) || this.#all.get(output.sessionId) !== conversation) return;
    const text = conversation.terminals[terminalId]?.lastLine ?? "";
    this.#updated.fire(output.sessionId, { kind: "lastLine", terminalId, text });
  }

  /** A session may be described before the request that made it is answered; a subagent's is there without any. */
  #introduce(method: EventName, params: NotificationsToEditor[EventName]["params"]): Conversation | undefined {
    if (method === "session/updated") return this.adopt((params as NotificationsToEditor["session/updated"]["params"]).session);
    return params.origin && !params.replayed ? this.#introduceChild(params.sessionId, params.origin) : undefined;
  }

  #introduceChild(id: string, origin: Origin): Conversation {
    return this.adopt(introduced(id, origin, this.#all.get(origin.sessionId)?.session));
  }

  /** Also what is being loaded learns of it, for the replay does not tell it. */
  #change(id: string, update: Update, change: (c: Conversation) => void): void {
    const shown = this.#all.get(id);
    const loading = this.#loading.get(id);
    if (loading) change(loading);
    if (!shown) return;
    change(shown);
    this.#fire(id, update);
  }

  #fire(id: string, update: Update): void {
    this.#updated.fire(id, update);
    this.#changed.fire(id);
  }
}
