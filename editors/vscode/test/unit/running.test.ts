/** Commands that go on: how each stands in a conversation, and what is said of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversation, TerminalInfo } from "../../src/model/conversation.ts";
import { cutOff, newConversation, reduce, replaceable, said } from "../../src/model/reduce.ts";
import {
  asksForSecret, isOver, runningCommands, runsAlone, standingWords, stillAsks, survivorWords, waitingCommand,
} from "../../src/model/running.ts";
import { statusLine } from "../../src/model/statusline.ts";
import { rowsOf } from "../../src/webview/rows.ts";
import { callState } from "../../src/webview/words.ts";
import { Numbered, question, session, usage } from "./events.ts";
import type { Sent } from "./events.ts";

function after(events: readonly Sent[], c: Conversation = newConversation(session)): Conversation {
  for (const [method, params] of events) reduce(c, method, params);
  return c;
}

/** A turn whose call runs a command. */
function started(n: Numbered, pipes = false): Sent[] {
  return [
    n.event("turn/started", { turnId: "t1", prompt: [{ type: "text", text: "serve it" }] }),
    n.event("toolCall/started", { callId: "c1", name: "exec_command", title: "npm run dev", access: "execute" }),
    n.event("terminal/opened", {
      terminalId: "x1", callId: "c1", title: "npm run dev", cwd: "/w", cols: 80, rows: 24, processId: "proc-1",
      sandbox: "bubblewrap", ...(pipes && { pipes }),
    }),
  ];
}

const yielded = (n: Numbered): Sent[] => [
  n.event("terminal/updated", { terminalId: "x1", background: true }),
  n.event("toolCall/completed", { callId: "c1", status: "completed", text: "up", terminalId: "x1", processId: "proc-1", durationMs: 5 }),
];

function only(c: Conversation): TerminalInfo {
  const terminal = c.terminals["x1"];
  assert.ok(terminal);
  return terminal;
}

const state = (c: Conversation): string => {
  const call = c.items.find((item) => item.kind === "call");
  assert.ok(call?.kind === "call");
  return callState(call, false, only(c)).word;
};

test("what is known of a command when it begins is kept: its name, its pipes, what holds it, and since when", () => {
  const c = after(started(new Numbered(), true));
  const { processId, pipes, sandbox, startedAt } = only(c);
  assert.deepEqual([processId, pipes, sandbox, typeof startedAt], ["proc-1", true, "bubblewrap", "number"]);
  assert.equal(only(after(started(new Numbered(true)))).startedAt, undefined, "history has no start by this side's clock");
});

test("a command that waits for typing says so until it goes on", () => {
  const n = new Numbered();
  const c = after([...started(n), n.event("terminal/updated", { terminalId: "x1", waiting: true })]);
  assert.deepEqual([standingWords(only(c)), state(c)], ["waits for typing", "Waits for typing"]);
  assert.equal(waitingCommand([c])?.title, "npm run dev");
  after([n.event("terminal/updated", { terminalId: "x1" })], c);
  assert.deepEqual([standingWords(only(c)), state(c), waitingCommand([c])], ["", "Running", undefined]);
});

test("a command in the background outlives its call, goes on speaking, and ends when it is closed", () => {
  const n = new Numbered();
  const c = after([...started(n), ...yielded(n)]);
  const call = c.items.find((item) => item.kind === "call");
  assert.equal(call?.kind === "call" && call.processId, "proc-1");
  assert.deepEqual([standingWords(only(c)), state(c), runsAlone(only(c))], ["runs in the background", "Still runs", true]);
  assert.equal(said(c, { terminalId: "x1", data: "GET /\n" }), true);
  assert.equal(only(c).lastLine, "GET /");
  after([n.event("terminal/closed", { terminalId: "x1", exit: { code: 1 } })], c);
  assert.deepEqual([runningCommands(c), state(c), only(c).lastLine], [[], "Done", undefined]);
  assert.equal(said(c, { terminalId: "x1", data: "late" }), false);
});

test("a command that ended and left processes behind still runs, and names them", () => {
  const n = new Numbered();
  const survivors = [{ pid: 7, name: "node server.js" }];
  const c = after([...started(n), n.event("terminal/updated", { terminalId: "x1", survivors, exit: { code: 0 } })]);
  assert.equal(standingWords(only(c)), "exit 0 · 1 process still runs: node server.js");
  assert.deepEqual([runningCommands(c).length, runsAlone(only(c))], [1, true]);
  after([n.event("terminal/closed", { terminalId: "x1", exit: { code: 0 } })], c);
  assert.deepEqual([runningCommands(c), only(c).survivors, only(c).exit], [[], undefined, { code: 0 }]);
});

test("a status is whole: what is not said any more is over", () => {
  const n = new Numbered();
  const c = after([...started(n), n.event("terminal/updated", { terminalId: "x1", background: true, waiting: true })]);
  after([n.event("terminal/updated", { terminalId: "x1", background: true })], c);
  assert.equal(standingWords(only(c)), "runs in the background");
});

test("an update that comes behind the end changes nothing", () => {
  const n = new Numbered();
  const c = after([...started(n), n.event("terminal/closed", { terminalId: "x1", exit: { code: 0 } })]);
  after([n.event("terminal/updated", { terminalId: "x1", waiting: true })], c);
  assert.deepEqual([only(c).waiting, waitingCommand([c])], [undefined, undefined]);
});

test("with the bridge its commands are gone", () => {
  const n = new Numbered();
  const c = after([...started(n), ...yielded(n), n.event("terminal/updated", { terminalId: "x1", background: true, waiting: true })]);
  cutOff(c);
  assert.deepEqual([runningCommands(c), only(c).waiting], [[], undefined]);
});

test("many processes are counted, and named as far as one can read", () => {
  const names = (all: readonly string[]): string => survivorWords(all.map((name, pid) => ({ pid, name })));
  assert.equal(names(["a", "b"]), "2 processes still run: a, b");
  assert.equal(names(["w", "w", "w", "a", "b", "c"]), "6 processes still run: w ×3, a, b, …");
});

test("in the bridge's list what has survivors is not over", () => {
  assert.deepEqual([{}, { exit: { code: 0 } }, { exit: { code: 0 }, survivors: [{ pid: 1, name: "a" }] }].map(isOver), [false, true, false]);
});

test("what was typed for one prompt does not go to another", () => {
  const at = (lastLine: string, waiting = true) => ({ lastLine, waiting });
  assert.equal(stillAsks(at("Name?"), at("Name?")), true);
  assert.equal(stillAsks(at("Name?"), at("Delete everything? [y/N]")), false);
  assert.equal(stillAsks(at("GET /", false), at("GET /a", false)), true, "a command that did not wait may go on speaking");
});

test("what asks for a secret is typed unseen", () => {
  for (const line of ["Password:", "Enter passphrase for key '/home/a/.ssh/id':", "[sudo] password for ada: ", "PIN?"]) {
    assert.equal(asksForSecret(line), true, line);
  }
  for (const line of ["Name?", "spinning: 3", "", "token accepted", "password saved to file"]) assert.equal(asksForSecret(line), false, line);
});

test("a turn that the end of a command began shows no prompt, but the end", () => {
  const n = new Numbered();
  const notices = [{ processId: "proc-1", callId: "c1", terminalId: "x1", title: "npm run dev", ok: false, detail: "exit code 1", tail: "no" }];
  const c = after([
    ...started(n), ...yielded(n), n.event("turn/completed", { turnId: "t1", stopReason: "endTurn", usage }),
    n.event("turn/started", { turnId: "t2", prompt: [], background: true }),
    n.event("turn/notified", { turnId: "t2", notices }),
    n.event("message/chunk", { text: "It failed." }),
  ]);
  assert.deepEqual(rowsOf(c).map((row) => row.kind), ["prompt", "call", "ended", "message"]);
  const ended = c.items.find((item) => item.kind === "ended");
  assert.ok(ended?.kind === "ended");
  assert.deepEqual([ended.turnId, ended.notices], ["t2", notices]);
  after([n.event("turn/completed", { turnId: "t2", stopReason: "endTurn", usage })], c);
  assert.equal(replaceable(c), "t1", "a prompt is a person's");
});

test("a replay of what a command did makes the rows that were seen live, under the same keys", () => {
  const all = (n: Numbered): Sent[] => [
    ...started(n), ...yielded(n), n.event("turn/notified", { turnId: "t1", notices: [] }),
    n.event("terminal/closed", { terminalId: "x1", exit: { code: 0 } }),
  ];
  const keys = (c: Conversation): unknown => rowsOf(c).map(({ kind, key }) => [kind, key]);
  assert.deepEqual(keys(after(all(new Numbered(true)))), keys(after(all(new Numbered()))));
});

test("the status bar leads to the command that waits, behind questions and before whatever runs", () => {
  const n = new Numbered();
  const c = after([...started(n), n.event("terminal/updated", { terminalId: "x1", waiting: true })]);
  const ready = { kind: "ready" } as const;
  assert.deepEqual([statusLine(ready, c, [], [c]).click, statusLine(ready, c, [], [c]).tone], ["waiting", "warning"]);
  assert.equal(statusLine(ready, c, [question("a1")], [c]).click, "nextQuestion");
  assert.equal(statusLine(ready, newConversation(session), [], [c]).click, "waiting", "also when another session is shown");
});

test("the status bar counts what runs on its own, and leads to the list", () => {
  const n = new Numbered();
  const c = after([...started(n), ...yielded(n), n.event("turn/completed", { turnId: "t1", stopReason: "endTurn", usage })]);
  const line = statusLine({ kind: "ready" }, c, [], [c]);
  assert.match(line.text, / 1$/);
  assert.match(line.tooltip, /^1 command runs in the background/);
  assert.deepEqual([line.click, line.tone], ["running", "plain"]);
  after([n.event("terminal/updated", { terminalId: "x1", background: true, waiting: true })], c);
  assert.equal(statusLine({ kind: "ready" }, c, [], [c]).click, "running", "the agent may answer that itself");
});
