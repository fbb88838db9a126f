import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "../../src/model/desk.ts";
import type { ApprovalAnswer } from "../../src/protocol.gen.ts";
import { question } from "./events.ts";

const allow: ApprovalAnswer = { outcome: "selected", optionId: "allow" };
const deny: ApprovalAnswer = { outcome: "selected", optionId: "deny" };
const never = (): void => undefined;

function ids(desk: Desk): string[] {
  return desk.pending.map((q) => q.approvalId);
}

test("an answer goes to the question that was named and to no other", async () => {
  const desk = new Desk();
  const answers = ["a1", "a2", "a3"].map((id) => desk.ask(question(id), never));
  assert.equal(desk.answer(question("a2"), allow), true);
  assert.deepEqual(await answers[1], allow);
  assert.deepEqual(ids(desk), ["a1", "a3"]);
  desk.answer(question("a3"), deny);
  assert.deepEqual(await answers[2], deny);
  assert.deepEqual(ids(desk), ["a1"]);
});

test("a question ends once: the second answer counts for nothing", async () => {
  const desk = new Desk();
  const answer = desk.ask(question("a1"), never);
  assert.equal(desk.answer(question("a1"), deny), true);
  assert.equal(desk.answer(question("a1"), allow), false);
  assert.deepEqual(await answer, deny);
});

test("an answer to a question that nobody asked counts for nothing", () => {
  const desk = new Desk();
  assert.equal(desk.answer(question("a9"), allow), false);
});

test("a withdrawn question has no answer, and none counts any more", async () => {
  const desk = new Desk();
  let withdraw = never;
  const answer = desk.ask(question("a1"), (f) => { withdraw = f; });
  withdraw();
  assert.deepEqual(ids(desk), []);
  assert.equal(desk.answer(question("a1"), allow), false);
  assert.deepEqual(await answer, { outcome: "dismissed" });
});

test("a question that is asked again replaces itself, and the old withdrawal does not touch it", async () => {
  const desk = new Desk();
  let withdrawFirst = never;
  const first = desk.ask(question("a1"), (f) => { withdrawFirst = f; });
  const second = desk.ask(question("a1"), never);
  assert.deepEqual(await first, { outcome: "dismissed" });
  withdrawFirst();
  assert.deepEqual(ids(desk), ["a1"]);
  desk.answer(question("a1"), allow);
  assert.deepEqual(await second, allow);
});

test("when the connection is gone every question is off the desk and none was answered", async () => {
  const desk = new Desk();
  const answers = [desk.ask(question("a1"), never), desk.ask(question("a2"), never)];
  desk.clear();
  assert.deepEqual(ids(desk), []);
  assert.deepEqual(await Promise.all(answers), [{ outcome: "dismissed" }, { outcome: "dismissed" }]);
});

test("whoever listens hears of every change until he leaves", () => {
  const desk = new Desk();
  const heard: number[] = [];
  const listening = desk.onChange((pending) => heard.push(pending.length));
  void desk.ask(question("a1"), never);
  void desk.ask(question("a2"), never);
  desk.answer(question("a1"), allow);
  desk.withdraw(question("a1"));
  desk.clear();
  listening.dispose();
  void desk.ask(question("a3"), never);
  assert.deepEqual(heard, [1, 2, 1, 0]);
});

test("questions of two sessions have the same ids and nothing else in common", async () => {
  const desk = new Desk();
  const here = desk.ask(question("a1", "s1"), never);
  const there = desk.ask(question("a1", "s2"), never);
  desk.answer({ sessionId: "s2", approvalId: "a1" }, allow);
  assert.deepEqual(await there, allow);
  assert.equal(desk.get({ sessionId: "s1", approvalId: "a1" })?.sessionId, "s1");
  desk.withdraw({ sessionId: "s2", approvalId: "a1" });
  assert.deepEqual(ids(desk), ["a1"]);
  desk.answer({ sessionId: "s1", approvalId: "a1" }, deny);
  assert.deepEqual(await here, deny);
});
