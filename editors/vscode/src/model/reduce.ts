/**
 * What each event does to a conversation. Events are applied in the order of
 * their seq; one that was applied already, and one that is not known here,
 * changes nothing. The keys of items follow from the events alone, so that a
 * replayed conversation has the keys of the one that was seen live.
 */
import type { CallItem, Conversation, EventName, Item, Remembered, StateNow, TerminalInfo } from "./conversation.ts";
import { lost } from "./subagents.ts";
import { Tail } from "./tail.ts";
import type { ApprovalRequestParams, Block, ChangeUpdated, NotificationsToEditor, Session, TerminalStatus, Usage } from "../protocol.gen.ts";

type Params<M extends EventName> = NotificationsToEditor[M]["params"];
type Handlers = { readonly [M in EventName]?: (c: Conversation, p: Params<M>) => void };

export function newConversation(session: Session): Conversation {
  return {
    session, items: [], state: { state: "idle", since: session.updatedAt, detail: "" },
    approvals: [], changes: {}, stood: {}, terminals: {}, subagents: {}, lastSeq: 0,
  };
}

export function reduce(c: Conversation, method: EventName, params: unknown): void {
  const handler = handlers[method] as ((c: Conversation, p: unknown) => void) | undefined;
  const { sessionId, seq } = params as { sessionId: string; seq: number };
  if (!handler || sessionId !== c.session.sessionId || seq <= c.lastSeq) return;
  c.lastSeq = seq;
  handler(c, params);
}

/** A question came up. It is no event; its end is one. Questions stand in the order of their calls. */
export function asked(c: Conversation, approval: ApprovalRequestParams): void {
  withdrawn(c, approval.approvalId);
  refuse(c, approval.approvalId);
  const place = ({ callId }: ApprovalRequestParams): number => {
    const at = c.items.findLastIndex((item) => item.kind === "call" && item.callId === callId);
    return at < 0 ? c.items.length : at;
  };
  c.approvals = [...c.approvals, approval].sort((a, b) => place(a) - place(b));
  const call = callOf(c, approval.callId);
  if (call) call.asksSince ??= Date.now();
}

/** It is asked once more: the answer did not count. */
function refuse(c: Conversation, approvalId: string): void {
  const answered = c.remembering?.[approvalId];
  if (!answered) return;
  delete c.remembering?.[approvalId];
  c.refused = { ...c.refused, [approvalId]: answered };
}

/** A question is gone without an event that says so. */
export function withdrawn(c: Conversation, approvalId: string): void {
  const gone = c.approvals.find((a) => a.approvalId === approvalId);
  if (!gone) return;
  c.approvals = c.approvals.filter((a) => a !== gone);
  const call = c.approvals.some((a) => a.callId === gone.callId) ? undefined : callOf(c, gone.callId);
  if (call?.asksSince === undefined) return;
  call.waitedMs = (call.waitedMs ?? 0) + Date.now() - call.asksSince;
  delete call.asksSince;
}

/** A yes was given that is remembered, once it counts. */
export function remembering(c: Conversation, approvalId: string, remembered: Remembered): void {
  c.remembering = { ...c.remembering, [approvalId]: remembered };
}

/** A running command said something; true when its last line became another. Output has no number of its own. */
export function said(c: Conversation, { terminalId, data }: { readonly terminalId: string; readonly data: string }): boolean {
  const terminal = c.terminals[terminalId];
  if (!terminal || terminal.over) return false;
  let tail = tails.get(terminal);
  if (!tail) tails.set(terminal, (tail = new Tail()));
  const line = tail.add(data);
  if (line === terminal.lastLine) return false;
  terminal.lastLine = line;
  return true;
}

/** What the last lines are read from, while their commands run. */
const tails = new WeakMap<object, Tail>();

/** Steering text was handed over; turn/steered says when the model reads it. */
export function queued(c: Conversation, content: readonly Block[]): void {
  if (c.turnId) c.queued = [...(c.queued ?? []), content];
}

/** The bridge is gone, and with it whatever ran and asked. */
export function cutOff(c: Conversation): void {
  c.approvals = [];
  delete c.remembering;
  delete c.refused;
  delete c.turnId;
  delete c.queued;
  c.state = { state: "idle", since: c.state.since, detail: "" };
  for (const terminal of Object.values(c.terminals)) end(terminal);
  c.subagents = Object.fromEntries(Object.entries(c.subagents).map(([id, subagent]) => [id, lost(subagent)]));
  for (const item of c.items) {
    if (item.kind !== "call") continue;
    if (item.status === "running") item.status = "aborted";
    delete item.asksSince;
  }
}

/** The turn that session/continue would take up. */
export function continuable(c: Conversation): string | undefined {
  const last = c.items.findLast((item) => item.kind === "end");
  if (c.turnId || last?.kind !== "end" || last.stopReason === "endTurn" || last.stopReason === "refusal") return undefined;
  return last.turnId;
}

/** The turns of which something stands in files; what a subagent did belongs to the turn that started it. */
export function writing(c: Conversation, children: readonly Conversation[] = []): ReadonlySet<string> {
  const own = Object.values(c.changes).filter(stands).map(({ turnId }) => turnId);
  const theirs = children.filter(({ changes }) => Object.values(changes).some(stands)).map(({ session }) => turnOf(c, session.origin?.callId));
  return new Set([...own, ...theirs].filter((turnId) => turnId !== ""));
}

/** The turn of a call; "" where it is not known. */
export function turnOf(c: Conversation, callId: string | undefined): string {
  return callId === undefined ? "" : (callOf(c, callId)?.turnId ?? "");
}

function stands({ state }: ChangeUpdated): boolean {
  return state === "applied" || state === "partly";
}

function standing({ hunks }: ChangeUpdated): string[] {
  return hunks.filter(({ state }) => state !== "rejected").map(({ hunkId }) => hunkId);
}

/** The turn whose prompt can be sent again with another text. */
export function replaceable(c: Conversation): string | undefined {
  return c.turnId ? undefined : c.items.findLast((item) => item.kind === "prompt")?.turnId;
}

const handlers: Handlers = {
  "session/updated": (c, p) => {
    c.session = p.session;
  },
  "turn/started": (c, p) => {
    if (p.replaces) fold(c, p.replaces, p.turnId);
    c.turnId = p.turnId;
    if (p.continues) c.items.push({ kind: "notice", key: nextKey(c), text: "Continued" });
    else if (!p.background) c.items.push({ kind: "prompt", key: nextKey(c), turnId: p.turnId, blocks: p.prompt });
  },
  "turn/steered": (c, p) => {
    unqueue(c, p.content);
    c.items.push({ kind: "steer", key: nextKey(c), turnId: p.turnId, blocks: p.content });
  },
  "turn/notified": (c, p) => {
    c.items.push({ kind: "ended", key: nextKey(c), turnId: p.turnId, notices: p.notices, ...(p.remarks?.length && { remarks: p.remarks }) });
  },
  "state/changed": (c, p) => {
    const { state, since, detail, attempt, max, callId } = p;
    c.state = {
      state, since, detail, ...(attempt !== undefined && { attempt }), ...(max !== undefined && { max }),
      ...(callId !== undefined && { callId }),
    };
    const model = asksModel(c.state);
    if (model) c.modelNow = model;
  },
  "message/chunk": (c, p) => say(c, "message", p.text),
  "thought/chunk": (c, p) => say(c, "thought", p.text),
  "toolCall/started": (c, p) => {
    c.items.push({
      kind: "call", key: p.callId, turnId: turnNow(c), callId: p.callId, name: p.name, title: p.title,
      access: p.access, status: "running", text: "", ...(p.args && { args: p.args }),
      ...(!p.replayed && { startedAt: Date.now() }),
    });
  },
  "toolCall/updated": (c, p) => {
    const call = callOf(c, p.callId);
    if (!call) return;
    if (p.title) {
      call.retitled ||= p.title !== call.title;
      call.title = p.title;
    }
    if (p.text) call.text += p.text;
  },
  "toolCall/completed": (c, p) => {
    const call = callOf(c, p.callId);
    if (!call) return;
    call.status = p.status;
    call.text = p.text;
    call.durationMs = p.durationMs;
    call.waitedMs = p.waitedMs ?? 0;
    delete call.asksSince;
    if (p.changeId) call.changeId = p.changeId;
    if (p.terminalId) call.terminalId = p.terminalId;
    if (p.processId) call.processId = p.processId;
    if (p.images?.length) call.images = p.images;
    if (p.decision) call.ruled = p.decision;
  },
  "usage/updated": (c, p) => {
    c.total = p.total;
    if (p.contextTokens !== undefined) c.contextTokens = p.contextTokens;
    if (p.contextLimit !== undefined) c.contextLimit = p.contextLimit;
  },
  "turn/completed": (c, p) => {
    if (p.replayed) c.total = sum(c.total, p.usage); // of history nothing else counts
    delete c.turnId;
    delete c.queued;
    c.items.push({
      kind: "end", key: nextKey(c), turnId: p.turnId, stopReason: p.stopReason, ...(p.cause && { cause: p.cause }),
      ...(p.hint && { hint: p.hint }), ...(p.returned?.length && { returned: p.returned }),
    });
  },
  "change/updated": (c, p) => {
    c.changes[p.changeId] = p;
    if (stands(p)) c.stood[p.changeId] = [...new Set([...(c.stood[p.changeId] ?? []), ...standing(p)])];
    const call = callOf(c, p.callId);
    if (call) call.changeId = p.changeId;
  },
  "approval/resolved": (c, p) => {
    withdrawn(c, p.approvalId);
    const call = callOf(c, p.callId);
    const remembered = p.outcome === "allowed" && p.by === "person" ? c.remembering?.[p.approvalId] : undefined;
    delete c.remembering?.[p.approvalId];
    delete c.refused?.[p.approvalId];
    if (call) call.decision = { outcome: p.outcome, by: p.by, ...(p.cause && { cause: p.cause }), ...(remembered && { remembered }) };
  },
  "subagent/updated": (c, { subagent }) => {
    c.subagents = { ...c.subagents, [subagent.subagentId]: subagent };
  },
  "terminal/opened": (c, p) => {
    const { sessionId: _, seq, replayed, ...terminal } = p;
    const { terminalId, callId } = terminal;
    c.terminals[terminalId] = { ...terminal, ...(!replayed && { startedAt: Date.now() }) };
    const call = callOf(c, callId);
    if (call) call.terminalId = terminalId;
  },
  "terminal/updated": (c, p) => {
    const terminal = c.terminals[p.terminalId];
    if (!terminal || terminal.over) return;
    setStatus(terminal, p);
    if (p.exit) terminal.exit = p.exit;
  },
  "terminal/closed": (c, p) => {
    const terminal = c.terminals[p.terminalId];
    if (!terminal) return;
    terminal.exit = p.exit;
    end(terminal);
    if (p.tail !== undefined) terminal.tail = p.tail;
  },
};

/** The wire sends the whole of it: what is not said is not so. */
function setStatus(terminal: TerminalInfo, { background, waiting, survivors }: TerminalStatus): void {
  terminal.background = background ?? false;
  terminal.waiting = waiting ?? false;
  terminal.survivors = survivors ?? [];
}

function end(terminal: TerminalInfo): void {
  terminal.over = true;
  delete terminal.waiting;
  delete terminal.survivors;
  delete terminal.lastLine;
}

/** Chunks in a row are one item: as they arrive, and merged in a replay. */
function say(c: Conversation, kind: "message" | "thought", text: string): void {
  const last = c.items.at(-1);
  if (last?.kind === kind && last.turnId === turnNow(c)) last.text += text;
  else c.items.push({ kind, key: nextKey(c), turnId: turnNow(c), text });
}

/** A replaced turn, and whatever took it up, is everything from its first item on. */
function fold(c: Conversation, from: string, by: string): void {
  const start = c.items.findIndex((item) => "turnId" in item && item.turnId === from);
  if (start < 0) return;
  const replaced = (c.replaced ??= {});
  for (const item of c.items.slice(start)) {
    if ("turnId" in item) replaced[item.turnId] = by;
  }
}

function unqueue(c: Conversation, content: readonly Block[]): void {
  const same = JSON.stringify(content);
  const at = c.queued?.findIndex((blocks) => JSON.stringify(blocks) === same) ?? -1;
  if (at >= 0) c.queued?.splice(at, 1);
  if (c.queued?.length === 0) delete c.queued;
}

/** Which model the turn waits for, as the state names it. */
function asksModel({ state, detail }: StateNow): string | undefined {
  return state === "model" ? /^waiting for (\S+:.+)$/.exec(detail)?.[1] : undefined;
}

function sum(a: Usage | undefined, b: Usage): Usage {
  const all: { [kind: string]: number | undefined } = { ...a };
  for (const [kind, n] of Object.entries(b)) all[kind] = (all[kind] ?? 0) + n;
  return all as unknown as Usage;
}

/** Calls are looked up from the end: it is nearly always one of the last. */
function callOf(c: Conversation, callId: string): CallItem | undefined {
  const item = c.items.findLast((i) => i.kind === "call" && i.callId === callId);
  return item?.kind === "call" ? item : undefined;
}

function turnNow(c: Conversation): string {
  if (c.turnId) return c.turnId;
  const last = c.items.findLast((item): item is Exclude<Item, { kind: "notice" }> => item.kind !== "notice");
  return last?.turnId ?? "";
}

function nextKey(c: Conversation): string {
  return `i${c.items.length}`;
}
