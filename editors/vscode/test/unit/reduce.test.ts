import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversation, EventName } from "../../src/model/conversation.ts";
import { asked, continuable, cutOff, newConversation, queued, reduce, remembering, replaceable, said, withdrawn, writing } from "../../src/model/reduce.ts";
import { Numbered, question, session, usage, wholeTurn } from "./events.ts";
import type { Sent } from "./events.ts";

function after(events: readonly Sent[], c: Conversation = newConversation(session)): Conversation {
  for (const [method, params] of events) reduce(c, method, params);
  return c;
}

const kinds = (c: Conversation): string[] => c.items.map((item) => item.kind);

test("a turn becomes its prompt, what was said, the call and the end", () => {
  const c = after(wholeTurn(new Numbered()));
  assert.deepEqual(kinds(c), ["prompt", "message", "call", "end"]);
  const [, message, call] = c.items;
  assert.ok(message?.kind === "message" && message.text === "I will look.");
  assert.ok(call?.kind === "call");
  assert.equal(call.status, "completed");
  assert.equal(call.text, "edited");
  assert.equal(call.durationMs, 12);
  assert.equal(call.changeId, "g1");
  assert.deepEqual(call.decision, { outcome: "allowed", by: "person" });
  assert.equal(c.turnId, undefined);
  assert.equal(c.state.state, "idle");
  assert.equal(c.contextTokens, 12);
});

test("events that come twice change nothing", () => {
  const events = wholeTurn(new Numbered());
  const once = after(events);
  const before = structuredClone(once);
  assert.deepEqual(after(events, once), before);
});

test("events of another session and unknown ones are ignored", () => {
  const c = after(wholeTurn(new Numbered()));
  const before = structuredClone(c);
  reduce(c, "message/chunk", { sessionId: "s2", seq: 99, text: "no" });
  reduce(c, "weather/changed" as EventName, { sessionId: "s1", seq: 100 });
  assert.deepEqual(c, before);
});

test("output of a terminal, which has a number of before, does not stop what follows", () => {
  const n = new Numbered();
  const c = after([n.event("turn/started", { turnId: "t1", prompt: [] })]);
  reduce(c, "terminal/output", { sessionId: "s1", seq: 1, terminalId: "x1", offset: 0, end: 2, data: "hi" });
  after([n.event("message/chunk", { text: "on" })], c);
  assert.deepEqual(kinds(c), ["prompt", "message"]);
});

test("a replay with merged chunks makes the items that were seen live, under the same keys", () => {
  const live = after(wholeTurn(new Numbered()));
  const n = new Numbered(true);
  const replay = wholeTurn(n).filter(([method, params]) => method !== "state/changed" && !(method === "message/chunk" && (params as { text: string }).text === "I will "));
  const merged = replay.map(([method, params]): Sent => method === "message/chunk" ? [method, { ...params, text: "I will look." } as Sent[1]] : [method, params]);
  const again = after(merged);
  const bare = (c: Conversation): unknown => c.items.map((item) => ({ ...item, startedAt: undefined }));
  assert.deepEqual(bare(again), bare(live));
});

test("a call that is history has no start by this side's clock", () => {
  const started = (replayed: boolean): unknown => {
    const call = after([new Numbered(replayed).event("toolCall/started", { callId: "c1", name: "n", title: "t", access: "read" })]).items[0];
    return call?.kind === "call" && call.startedAt;
  };
  assert.equal(started(true), undefined);
  assert.equal(typeof started(false), "number");
});

test("thoughts and messages in a row are one item each, and a call parts them", () => {
  const n = new Numbered();
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("thought/chunk", { text: "a" }), n.event("thought/chunk", { text: "b" }),
    n.event("message/chunk", { text: "c" }),
    n.event("toolCall/started", { callId: "c1", name: "n", title: "t", access: "read" }),
    n.event("message/chunk", { text: "d" }),
  ]);
  assert.deepEqual(kinds(c), ["prompt", "thought", "message", "call", "message"]);
});

test("an interrupted turn that is continued goes on below a separator", () => {
  const n = new Numbered();
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [{ type: "text", text: "go" }] }),
    n.event("turn/completed", { turnId: "t1", stopReason: "interrupted", usage }),
  ]);
  assert.equal(continuable(c), "t1");
  after([n.event("turn/started", { turnId: "t2", prompt: [], continues: "t1" })], c);
  assert.deepEqual(kinds(c), ["prompt", "end", "notice"]);
  assert.equal(continuable(c), undefined);
  assert.equal(c.turnId, "t2");
});

test("only a turn that ended before its work was done can be continued", () => {
  for (const [stopReason, can] of [
    ["endTurn", false], ["refusal", false], ["cancelled", true], ["error", true], ["maxTokens", true], ["maxSteps", true],
  ] as const) {
    const n = new Numbered();
    const c = after([n.event("turn/started", { turnId: "t1", prompt: [] }), n.event("turn/completed", { turnId: "t1", stopReason, usage })]);
    assert.equal(continuable(c) !== undefined, can, stopReason);
  }
});

test("a prompt that is sent again folds away its turn and what took it up", () => {
  const n = new Numbered();
  const c = after([
    ...wholeTurn(n, "t1"),
    n.event("turn/started", { turnId: "t2", prompt: [{ type: "text", text: "again" }] }),
    n.event("turn/completed", { turnId: "t2", stopReason: "error", usage }),
    n.event("turn/started", { turnId: "t3", prompt: [], continues: "t2" }),
    n.event("message/chunk", { text: "more" }),
    n.event("turn/completed", { turnId: "t3", stopReason: "endTurn", usage }),
  ]);
  assert.equal(replaceable(c), "t2");
  after([n.event("turn/started", { turnId: "t4", prompt: [{ type: "text", text: "better" }], replaces: "t2" })], c);
  assert.deepEqual(c.replaced, { t2: "t4", t3: "t4" });
  assert.equal(replaceable(c), undefined, "no prompt can be replaced while a turn runs");
});

test("steering text waits until the model reads it", () => {
  const n = new Numbered();
  const text = [{ type: "text", text: "leave the tests" }] as const;
  const c = after([n.event("turn/started", { turnId: "t1", prompt: [] })]);
  queued(c, text);
  assert.deepEqual(c.queued, [text]);
  after([n.event("turn/steered", { turnId: "t1", content: text })], c);
  assert.equal(c.queued, undefined);
  assert.deepEqual(kinds(c), ["prompt", "steer"]);
});

test("steering text that the model never read comes back with the end", () => {
  const n = new Numbered();
  const text = [{ type: "text", text: "one more" }] as const;
  const c = after([n.event("turn/started", { turnId: "t1", prompt: [] })]);
  queued(c, text);
  after([n.event("turn/completed", { turnId: "t1", stopReason: "endTurn", usage, returned: text })], c);
  assert.equal(c.queued, undefined);
  const end = c.items.at(-1);
  assert.deepEqual(end?.kind === "end" && end.returned, text);
  assert.ok(!kinds(c).includes("steer"));
});

test("questions stand in the order they were asked and end one by one", () => {
  const n = new Numbered();
  const c = newConversation(session);
  for (const id of ["a1", "a2", "a3"]) asked(c, question(id));
  asked(c, question("a2"));
  assert.deepEqual(c.approvals.map((a) => a.approvalId), ["a1", "a3", "a2"]);
  after([n.event("approval/resolved", { approvalId: "a3", callId: "c9", outcome: "withdrawn", by: "cancel" })], c);
  assert.deepEqual(c.approvals.map((a) => a.approvalId), ["a1", "a2"]);
});

test("a command is known by its call, and its end by the code and the tail", () => {
  const n = new Numbered(true);
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("toolCall/started", { callId: "c1", name: "exec_command", title: "ls", access: "execute" }),
    n.event("terminal/opened", { terminalId: "x1", callId: "c1", title: "ls", cwd: "/w", cols: 80, rows: 24 }),
    n.event("terminal/closed", { terminalId: "x1", exit: { code: 2 }, tail: "no such file" }),
  ]);
  assert.deepEqual(c.terminals["x1"], {
    terminalId: "x1", callId: "c1", title: "ls", cwd: "/w", cols: 80, rows: 24, exit: { code: 2 }, tail: "no such file", over: true,
  });
  const call = c.items[1];
  assert.ok(call?.kind === "call" && call.terminalId === "x1");
});

test("when the bridge is lost nothing runs and nobody is asked", () => {
  const n = new Numbered();
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("toolCall/started", { callId: "c1", name: "n", title: "t", access: "execute" }),
    n.event("state/changed", { state: "approval", since: 3, detail: "ls" }),
  ]);
  asked(c, question("a1"));
  cutOff(c);
  assert.deepEqual(c.approvals, []);
  assert.equal(c.turnId, undefined);
  assert.equal(c.state.state, "idle");
  const call = c.items[1];
  assert.ok(call?.kind === "call" && call.status === "aborted");
});

function calls(n: Numbered, ...ids: string[]): Sent[] {
  return ids.map((callId) => n.event("toolCall/started", { callId, name: "exec_command", title: callId, access: "execute" }));
}

test("questions stand in the order of their calls, whichever was asked first", () => {
  const n = new Numbered();
  const c = after([n.event("turn/started", { turnId: "t1", prompt: [] }), ...calls(n, "c1", "c2", "c3")]);
  for (const [approvalId, callId] of [["a3", "c3"], ["a9", "c9"], ["a1", "c1"], ["a2", "c2"]] as const) {
    asked(c, { ...question(approvalId), callId });
  }
  assert.deepEqual(c.approvals.map((a) => a.approvalId), ["a1", "a2", "a3", "a9"]);
});

test("while a question waits the clock of its call stands still", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1000 });
  const n = new Numbered();
  const c = after([n.event("turn/started", { turnId: "t1", prompt: [] }), ...calls(n, "c1")]);
  asked(c, question("a1"));
  t.mock.timers.tick(5000);
  const call = c.items[1];
  assert.ok(call?.kind === "call");
  assert.equal(call.asksSince, 1000);
  withdrawn(c, "a1");
  assert.deepEqual([call.asksSince, call.waitedMs], [undefined, 5000]);
  after([n.event("toolCall/completed", { callId: "c1", status: "completed", text: "", durationMs: 7000, waitedMs: 4990 })], c);
  assert.equal(call.waitedMs, 4990, "the bridge knows better");
});

test("a command that a person changed has the title of what runs, and still what was asked for", () => {
  const n = new Numbered();
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("toolCall/started", { callId: "c1", name: "exec_command", title: "rm -rf x", access: "execute", args: { command: "rm -rf x" } }),
    n.event("toolCall/updated", { callId: "c1", text: "…" }),
  ]);
  const call = c.items[1];
  assert.ok(call?.kind === "call");
  assert.equal(call.retitled, undefined);
  after([n.event("toolCall/updated", { callId: "c1", title: "rm -rf x/y" })], c);
  assert.deepEqual([call.title, call.retitled, call.args], ["rm -rf x/y", true, { command: "rm -rf x" }]);
});

test("of history the tokens are counted, and of a live turn only once", () => {
  const turns = (n: Numbered, ...ids: string[]): Sent[] => ids.flatMap((turnId) => [
    n.event("turn/started", { turnId, prompt: [] }), n.event("turn/completed", { turnId, stopReason: "endTurn", usage }),
  ]);
  const history = after(turns(new Numbered(true), "t1", "t2"));
  assert.deepEqual(history.total, { inputTokens: 20, outputTokens: 4 });
  assert.deepEqual(after(wholeTurn(new Numbered())).total, usage);
});

test("which model answers is known from the state where the session names none", () => {
  const n = new Numbered();
  const c = after([n.event("state/changed", { state: "model", since: 1, detail: "waiting for openai:gpt-5" })]);
  assert.equal(c.modelNow, "openai:gpt-5");
  after([n.event("state/changed", { state: "tool", since: 1, detail: "waiting for x:y" })], c);
  assert.equal(c.modelNow, "openai:gpt-5");
});

test("what a running command said last is kept until it ends", () => {
  const n = new Numbered();
  const c = after([
    ...calls(n, "c1"), n.event("terminal/opened", { terminalId: "x1", callId: "c1", title: "read", cwd: "/w", cols: 80, rows: 24 }),
  ]);
  assert.equal(said(c, { terminalId: "x1", data: "Who are you? " }), true);
  assert.equal(said(c, { terminalId: "x1", data: "\n" }), false, "nothing new");
  assert.equal(c.terminals["x1"]?.lastLine, "Who are you?");
  after([n.event("terminal/closed", { terminalId: "x1", exit: { code: 0 } })], c);
  assert.equal(c.terminals["x1"].lastLine, undefined);
  assert.equal(said(c, { terminalId: "x1", data: "late" }), false);
});

test("what the model was told of a person's deeds is an item of its own", () => {
  const n = new Numbered();
  const c = after([
    n.event("turn/notified", { turnId: "t1", notices: [], remarks: ["The user took back hunk 2 of greet.sh."] }),
    n.event("turn/notified", { turnId: "t1", notices: [] }),
  ]);
  assert.deepEqual(c.items.map((item) => item.kind === "ended" && item.remarks), [["The user took back hunk 2 of greet.sh."], undefined]);
});

test("turns of which something stands in files are known", () => {
  const n = new Numbered();
  const change = { callId: "c1", uri: "file:///w/a", kind: "modify", base: "b", hunks: [] } as const;
  const c = after([
    n.event("change/updated", { ...change, changeId: "g1", turnId: "t1", state: "reverted" }),
    n.event("change/updated", { ...change, changeId: "g2", turnId: "t2", state: "applied" }),
    n.event("change/updated", { ...change, changeId: "g3", turnId: "t2", state: "rejected" }),
    n.event("change/updated", { ...change, changeId: "g4", turnId: "t3", state: "partly" }),
  ]);
  assert.deepEqual([...writing(c)], ["t2", "t3"]);
});

function askedAbout(): { c: Conversation; n: Numbered } {
  const n = new Numbered();
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("toolCall/started", { callId: "c1", name: "exec_command", title: "ls", access: "execute" }),
  ]);
  asked(c, question("a1"));
  remembering(c, "a1", { scope: "user", rule: "ls" });
  return { c, n };
}

function decided({ c, n }: ReturnType<typeof askedAbout>, outcome: "allowed" | "denied", by: "person" | "grant"): unknown {
  after([n.event("approval/resolved", { approvalId: "a1", callId: "c1", outcome, by })], c);
  const call = c.items.at(-1);
  return call?.kind === "call" ? call.decision : undefined;
}

test("what a yes leaves behind is of the call once the person's answer counts, and of no other end", () => {
  const remembered = { scope: "user", rule: "ls" };
  assert.deepEqual(decided(askedAbout(), "allowed", "person"), { outcome: "allowed", by: "person", remembered });
  assert.deepEqual(decided(askedAbout(), "allowed", "grant"), { outcome: "allowed", by: "grant" });
  assert.deepEqual(decided(askedAbout(), "denied", "person"), { outcome: "denied", by: "person" });
});

test("a question that is put once more has what did not count, and leaves nothing behind", () => {
  const at = askedAbout();
  withdrawn(at.c, "a1");
  asked(at.c, question("a1"));
  assert.deepEqual(at.c.refused, { a1: { scope: "user", rule: "ls" } });
  assert.deepEqual(decided(at, "allowed", "person"), { outcome: "allowed", by: "person" });
  assert.deepEqual(at.c.refused, {});
});

test("a completed call keeps which rule decided about it", () => {
  const n = new Numbered(true);
  const c = after([
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("toolCall/started", { callId: "c1", name: "exec_command", title: "ls", access: "execute" }),
    n.event("toolCall/completed", { callId: "c1", status: "completed", text: "", durationMs: 1, decision: "allowed by the rule ls" }),
  ]);
  const call = c.items.at(-1);
  assert.ok(call?.kind === "call" && call.ruled === "allowed by the rule ls");
});
