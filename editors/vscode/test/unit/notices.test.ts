import assert from "node:assert/strict";
import { test } from "node:test";
import { Notices, noticeOf } from "../../src/approvals/notices.ts";
import type { Notice } from "../../src/approvals/notices.ts";
import type { ApprovalRequestParams } from "../../src/protocol.gen.ts";
import { proposal, settled } from "./proposals.ts";

function command(approvalId: string, title = "go test ./..."): ApprovalRequestParams {
  const { change: _, ...rest } = proposal({ approvalId });
  return { ...rest, title, access: "execute", command: { text: title, cwd: "/w", preset: "workspace-write", unconfined: false } };
}

function table() {
  const at = { now: 0, hidden: true, reminded: true };
  const shown: { notice: Notice; click: (clicked: boolean) => void }[] = [];
  const led: string[] = [];
  let due: (() => void)[] = [];
  const notices = new Notices({
    wanted: () => at.hidden,
    reminded: () => at.reminded,
    show: (notice) => new Promise((resolve) => shown.push({ notice, click: resolve })),
    lead: (q) => led.push(q.approvalId),
    now: () => at.now,
    later: (f) => due.push(f),
  });
  const ask = (...pending: ApprovalRequestParams[]) => notices.update(pending);
  const wait = (ms: number) => {
    at.now += ms;
    const all = due;
    due = [];
    for (const f of all) f();
  };
  return { at, shown, led, ask, wait, remind: (q: ApprovalRequestParams) => notices.remind(q) };
}

test("a message says exactly what is asked", () => {
  assert.deepEqual(noticeOf([command("a1", "rm -rf build")]), { text: "Drawbridge asks: rm -rf build", weight: "warning", button: "Review" });
  assert.deepEqual(noticeOf([proposal()]), { text: "Drawbridge asks: Edit greet.go", weight: "information", button: "Review" });
  assert.equal(noticeOf([proposal(), command("a2"), command("a3")]).text, "Drawbridge: 3 questions wait for you");
});

test("the questions of one step are one message", () => {
  const { shown, ask, wait } = table();
  const [a, b, c] = [command("a1"), command("a2"), proposal({ approvalId: "a3" })];
  ask(a);
  ask(a, b);
  ask(a, b, c);
  wait(250);
  assert.deepEqual(shown.map((s) => s.notice.text), ["Drawbridge: 3 questions wait for you"]);
});

test("nothing is said while the questions can be seen, nor of those that are gone already", () => {
  const { at, shown, ask, wait } = table();
  at.hidden = false;
  ask(command("a1"));
  wait(250);
  at.hidden = true;
  ask();
  ask(command("a2"));
  ask();
  wait(250);
  assert.equal(shown.length, 0);
});

test("a click leads to the question, and decides nothing", async () => {
  const { shown, led, ask, wait } = table();
  const a = command("a1");
  ask(a);
  wait(250);
  shown[0]?.click(true);
  await settled();
  assert.deepEqual(led, ["a1"]);
});

test("a message that is dismissed leads nowhere", async () => {
  const { shown, led, ask, wait } = table();
  ask(command("a1"));
  wait(250);
  shown[0]?.click(false);
  await settled();
  assert.deepEqual(led, []);
});

test("a late click leads to what still waits, and to nothing when nothing does", async () => {
  const { shown, led, ask, wait } = table();
  const [a, b] = [command("a1"), command("a2")];
  ask(a, b);
  wait(250);
  ask(b);
  shown[0]?.click(true);
  await settled();
  assert.deepEqual(led, ["a2"]);
  wait(60_000);
  ask(command("a3"));
  wait(250);
  ask();
  shown[1]?.click(true);
  await settled();
  assert.deepEqual(led, ["a2"]);
});

test("a message that can still be seen stands for what comes meanwhile; later there is a new one", () => {
  const { shown, ask, wait } = table();
  const [a, b, c] = [command("a1"), command("a2"), command("a3")];
  ask(a);
  wait(250);
  ask(a, b);
  wait(5_000);
  assert.equal(shown.length, 1);
  ask(a, b, c);
  wait(10_000);
  assert.deepEqual(shown[1]?.notice.text, "Drawbridge: 3 questions wait for you");
});

test("a new question after all others ended has its own message at once", () => {
  const { shown, ask, wait } = table();
  ask(command("a1"));
  wait(250);
  ask();
  ask(command("a2", "make"));
  wait(250);
  assert.deepEqual(shown[1]?.notice.text, "Drawbridge asks: make");
});

test("a reminder is said also of a question in sight, once for all that wait, and leads to the one that is overdue", async () => {
  const { at, shown, led, ask, wait, remind } = table();
  at.hidden = false;
  const [a, b] = [command("a1", "make"), command("a2")];
  ask(a, b);
  wait(250);
  assert.equal(shown.length, 0);
  remind(b);
  remind(a);
  wait(250);
  assert.equal(shown.length, 1);
  assert.match(shown[0]?.notice.text ?? "", /^Drawbridge still waits for 2 answers \(since /);
  assert.equal(shown[0]?.notice.button, "Show");
  shown[0]?.click(true);
  await settled();
  assert.deepEqual(led, ["a2"]);
});

test("a reminder names the question, and there is none of one that is gone, nor where none are wanted", () => {
  const { at, shown, ask, wait, remind } = table();
  const a = command("a1", "make");
  at.hidden = false;
  ask(a);
  at.reminded = false;
  remind(a);
  wait(250);
  at.reminded = true;
  remind(command("a9"));
  wait(250);
  remind(a);
  ask();
  wait(250);
  assert.equal(shown.length, 0);
  ask(a);
  remind(a);
  wait(250);
  assert.match(shown[0]?.notice.text ?? "", /^Drawbridge still waits for an answer: make \(since /);
});

test("a reminder that is dismissed leads nowhere", async () => {
  const { shown, led, ask, wait, remind } = table();
  const a = command("a1");
  ask(a);
  wait(250);
  remind(a);
  wait(250);
  shown[1]?.click(false);
  await settled();
  assert.deepEqual(led, []);
});
