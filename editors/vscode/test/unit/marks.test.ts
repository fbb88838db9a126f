import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "../../src/model/desk.ts";
import { MarkBook } from "../../src/review/marks.ts";
import { ask, proposal, settled, three } from "./proposals.ts";

function table(question = proposal()) {
  const desk = new Desk();
  const marks = new MarkBook(desk);
  return { desk, marks, question, asked: ask(desk, question) };
}

test("the last hunk that is decided answers the question, and none before it", async () => {
  const { desk, marks, asked } = table();
  marks.mark("g1", "h1", "accept");
  marks.mark("g1", "h3", "accept");
  await settled();
  assert.equal(asked.answer, undefined);
  assert.deepEqual(marks.marks("g1"), { h1: "accept", h3: "accept" });
  marks.mark("g1", "h2", "reject");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", hunks: ["h1", "h3"] });
  assert.equal(desk.pending.length, 0);
});

test("a question with nothing accepted is denied", async () => {
  const { marks, asked } = table();
  for (const { hunkId } of three) marks.mark("g1", hunkId, "reject");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "no" });
});

test("a decision that is taken back leaves the question open", async () => {
  const { marks, asked } = table();
  marks.mark("g1", "h1", "accept");
  marks.mark("g1", "h1", null);
  marks.mark("g1", "h2", "accept");
  marks.mark("g1", "h3", "accept");
  await settled();
  assert.equal(asked.answer, undefined);
});

test("to accept the rest leaves earlier decisions alone", async () => {
  const { marks, asked } = table();
  marks.mark("g1", "h2", "reject");
  marks.markAll("g1", "accept");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", hunks: ["h1", "h3"] });
});

test("to reject the rest after one was accepted takes that one, with the reason", async () => {
  const { marks, asked } = table();
  marks.mark("g1", "h2", "accept");
  marks.markAll("g1", "reject", { sessionId: "s1" }, "the others are names");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", hunks: ["h2"], comment: "the others are names" });
});

test("a change without hunks is taken or refused as a whole", async () => {
  for (const [verdict, optionId] of [["accept", "yes"], ["reject", "no"]] as const) {
    const { marks, asked } = table(proposal({ hunks: [], kind: "create" }));
    marks.markAll("g1", verdict);
    await settled();
    assert.deepEqual(asked.answer, { outcome: "selected", optionId });
  }
});

test("nothing that is decided holds for longer than this change", async () => {
  const { marks, asked } = table();
  marks.markAll("g1", "accept");
  await settled();
  assert.equal(asked.answer?.optionId, "yes");
});

test("marks on a proposal are not marks on the one that takes its place", async () => {
  const { desk, marks, asked } = table();
  marks.mark("g1", "h1", "accept");
  marks.mark("g1", "h2", "accept");
  asked.withdraw();
  const second = ask(desk, proposal({ approvalId: "a2" }));
  assert.deepEqual(marks.marks("g1"), {});
  marks.mark("g1", "h3", "accept");
  await settled();
  assert.equal(second.answer, undefined);
});

test("what was clicked on one question decides nothing about the one that took its place", async () => {
  const { desk, marks, asked } = table(proposal({ hunks: three.slice(0, 1) }));
  asked.withdraw();
  const second = ask(desk, proposal({ approvalId: "a2", hunks: three.slice(0, 1) }));
  const of = { sessionId: "s1", approvalId: "a1" };
  assert.equal(marks.mark("g1", "h1", "accept", of), false);
  assert.equal(marks.markAll("g1", "accept", of), false);
  await settled();
  assert.equal(second.answer, undefined);
  assert.deepEqual(marks.marks("g1"), {});
  assert.equal(marks.mark("g1", "h1", "accept", { ...of, approvalId: "a2" }), true);
  await settled();
  assert.equal(desk.pending.length, 0);
});

test("changes of two sessions with one id are told apart", async () => {
  const { desk, marks, asked } = table();
  const other = ask(desk, proposal({ approvalId: "b1", sessionId: "s2" }));
  marks.markAll("g1", "accept", { sessionId: "s1" });
  await settled();
  assert.equal(asked.answer?.optionId, "yes");
  assert.equal(other.answer, undefined);
  assert.deepEqual(desk.pending.map((q) => q.sessionId), ["s2"]);
});

test("three questions: the one that is clicked is the one that is answered", async () => {
  const desk = new Desk();
  const marks = new MarkBook(desk);
  const asked = ["1", "2", "3"].map((n) => ask(desk, proposal({ approvalId: `a${n}`, changeId: `g${n}`, callId: `c${n}` })));
  marks.markAll("g2", "accept");
  await settled();
  assert.deepEqual(asked.map((a) => a.answer?.optionId), [undefined, "yes", undefined]);
});

test("a hunk that the change does not have is no decision", async () => {
  const { marks, asked } = table();
  marks.mark("g1", "h1", "accept");
  marks.mark("g1", "h2", "accept");
  marks.mark("g1", "h9", "accept");
  await settled();
  assert.deepEqual(marks.marks("g1"), { h1: "accept", h2: "accept" });
  assert.equal(asked.answer, undefined);
});

test("a text of the person's own is the answer, once", async () => {
  const { marks, question, asked } = table();
  assert.equal(marks.acceptText(question, "mine\n"), true);
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", text: "mine\n" });
  assert.equal(marks.acceptText(question, "again\n"), false);
});

test("a text for a question that is gone answers nothing, also when a new one has its id", async () => {
  const { desk, marks, question, asked } = table();
  asked.withdraw();
  const second = ask(desk, proposal());
  assert.equal(marks.acceptText(question, "late\n"), false);
  await settled();
  assert.equal(second.answer, undefined);
});

test("listeners hear of marks, and of marks that are dropped", () => {
  const { marks, asked } = table();
  const heard: string[] = [];
  marks.onChange((id) => heard.push(`${id} ${JSON.stringify(marks.marks(id))}`));
  marks.mark("g1", "h1", "reject");
  asked.withdraw();
  assert.deepEqual(heard, ['g1 {"h1":"reject"}', "g1 {}"]);
});
