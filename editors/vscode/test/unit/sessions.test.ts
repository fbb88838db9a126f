import assert from "node:assert/strict";
import { test } from "node:test";
import { Sessions } from "../../src/model/sessions.ts";
import { Numbered, question, session, wholeTurn } from "./events.ts";

function heard(sessions: Sessions): string[] {
  const kinds: string[] = [];
  sessions.onUpdate((_, update) => kinds.push(update.kind === "event" ? update.method : update.kind));
  return kinds;
}

test("a session that is loaded is shown in one step, when its history is whole", () => {
  const sessions = new Sessions();
  const live = new Numbered();
  sessions.adopt(session);
  sessions.show("s1");
  for (const [method, params] of wholeTurn(live)) sessions.apply(method, params);
  const before = sessions.current;
  const kinds = heard(sessions);

  sessions.beginLoad("s1");
  const replay = wholeTurn(new Numbered(true));
  for (const [method, params] of replay.slice(0, 4)) sessions.apply(method, params);
  assert.equal(sessions.current, before, "half a history is not shown");
  assert.deepEqual(kinds, []);
  for (const [method, params] of replay.slice(4)) sessions.apply(method, params);
  sessions.endLoad({ ...session, title: "Greeting" }, 40);
  assert.deepEqual(kinds, ["replaced"]);
  assert.notEqual(sessions.current, before);
  assert.equal(sessions.current?.session.title, "Greeting");
  assert.deepEqual(sessions.current?.items.map((i) => i.kind), before?.items.map((i) => i.kind));
});

test("events that follow a load are applied, those it covered are not", () => {
  const sessions = new Sessions();
  sessions.beginLoad("s1");
  sessions.endLoad(session, 10);
  const kinds = heard(sessions);
  sessions.apply("message/chunk", { sessionId: "s1", seq: 10, text: "old" });
  sessions.apply("message/chunk", { sessionId: "s1", seq: 11, text: "new" });
  assert.deepEqual(kinds, ["message/chunk"]);
});

test("a load that fails leaves what was shown", () => {
  const sessions = new Sessions();
  sessions.adopt(session);
  sessions.beginLoad("s1");
  sessions.failLoad("s1");
  const kinds = heard(sessions);
  for (const [method, params] of wholeTurn(new Numbered())) sessions.apply(method, params);
  assert.ok(kinds.includes("turn/completed"));
});

test("a question that comes up during a load is in what is shown after it", () => {
  const sessions = new Sessions();
  sessions.beginLoad("s1");
  sessions.ask(question("a1"));
  sessions.endLoad(session, 3);
  assert.deepEqual(sessions.get("s1")?.approvals.map((a) => a.approvalId), ["a1"]);
});

test("a session may be described before the request that made it is answered", () => {
  const sessions = new Sessions();
  sessions.apply("session/updated", { sessionId: "s1", seq: 1, session: { ...session, title: "First" } });
  assert.equal(sessions.get("s1")?.session.title, "First");
  sessions.apply("message/chunk", { sessionId: "s2", seq: 1, text: "nobody knows this one" });
  assert.equal(sessions.get("s2"), undefined);
});

test("what is asked of one session changes no other", () => {
  const sessions = new Sessions();
  sessions.adopt(session);
  sessions.adopt({ ...session, sessionId: "s2" });
  sessions.ask(question("a1", "s2"));
  assert.deepEqual(sessions.get("s1")?.approvals, []);
  assert.equal(sessions.get("s2")?.approvals.length, 1);
  sessions.withdraw(question("a1", "s2"));
  assert.deepEqual(sessions.get("s2")?.approvals, []);
});

test("the last line of an output is told in detail alone", () => {
  const sessions = new Sessions();
  sessions.adopt(session);
  const n = new Numbered();
  sessions.apply(...n.event("terminal/opened", { terminalId: "x1", callId: "c1", title: "x", cwd: "/w", cols: 80, rows: 24 }));
  const kinds = heard(sessions);
  let changes = 0;
  sessions.onChange(() => changes++);
  for (const data of ["Name? ", "", "\n"]) {
    sessions.apply("terminal/output", { sessionId: "s1", seq: 1, terminalId: "x1", offset: 0, end: 0, data });
  }
  assert.deepEqual(kinds, ["lastLine"]);
  assert.equal(changes, 0);
  assert.equal(sessions.get("s1")?.terminals["x1"]?.lastLine, "Name?");
});
