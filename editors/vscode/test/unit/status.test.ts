import assert from "node:assert/strict";
import { test } from "node:test";
import { newConversation, reduce } from "../../src/model/reduce.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import { statusLine } from "../../src/model/statusline.ts";
import { Numbered, question, session } from "./events.ts";

const ready = { kind: "ready" } as const;

function running(): Conversation {
  const c = newConversation(session);
  const n = new Numbered();
  for (const [method, params] of [
    n.event("turn/started", { turnId: "t1", prompt: [] }),
    n.event("state/changed", { state: "retry", since: 1, detail: "overloaded", attempt: 2, max: 5 }),
  ]) reduce(c, method, params);
  return c;
}

test("questions come before whatever runs, are counted and lead to themselves", () => {
  const line = statusLine(ready, running(), [question("a1"), question("a2")]);
  assert.match(line.text, /Waiting for you: 2 questions/);
  assert.match(line.tooltip, /\nls \(since .*\)\nls \(since /);
  assert.equal(line.tone, "warning");
  assert.equal(line.click, "nextQuestion");
  assert.match(statusLine(ready, undefined, [question("a1")]).text, /1 question$/);
});

test("of many questions the tooltip names some and counts the others", () => {
  const many = Array.from({ length: 7 }, (_, i) => question(`a${i}`));
  assert.match(statusLine(ready, undefined, many).tooltip, /(\nls .*){5}\nand 2 more$/);
});

test("a running turn says what it waits for", () => {
  const line = statusLine(ready, running(), []);
  assert.match(line.text, /Retrying 2\/5/);
  assert.equal(line.tooltip, "overloaded");
});

test("a bridge that is gone comes before everything", () => {
  const failed = statusLine({ kind: "failed", why: "no program", help: "install" }, running(), [question("a1")]);
  assert.equal(failed.tone, "error");
  assert.equal(failed.tooltip, "no program");
  const again = statusLine({ kind: "restarting", inMs: 1000, why: "killed" }, undefined, []);
  assert.equal(again.tone, "warning");
  assert.match(again.tooltip, /killed/);
});

test("when nothing runs it only opens the conversation", () => {
  const line = statusLine(ready, newConversation(session), []);
  assert.deepEqual([line.tone, line.click], ["plain", "open"]);
  assert.doesNotMatch(line.text, /spin/);
});
