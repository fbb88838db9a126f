/** Words that several places share: modes by both their names, and the last line of an output. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { askedBecause, modeName, presetName } from "../../src/model/modes.ts";
import { Tail, plain } from "../../src/model/tail.ts";
import { modes } from "../../src/protocol.gen.ts";

test("a mode is called by the name that settings have, too", () => {
  assert.equal(modeName("always-ask"), "Ask always (always-ask)");
  assert.equal(modeName("plan"), "Plan", "the same word is not said twice");
  assert.equal(presetName("workspace-write"), "Workspace (workspace-write)");
  for (const mode of modes) assert.ok(modeName(mode).toLowerCase().replaceAll(" ", "-").includes(mode), mode);
});

test("why something is asked names the mode as the menus do, and does not repeat what stands below", () => {
  assert.equal(askedBecause("mode always-ask; unconfined", true), "Mode Ask always (always-ask)");
  assert.equal(askedBecause("mode auto-edit; runs code: Makefile", false), "Mode Edit freely (auto-edit); runs code: Makefile");
  assert.equal(askedBecause("unconfined", true), "");
  assert.equal(askedBecause("mode of transport", false), "Mode of transport");
});

test("output for a terminal reads without one", () => {
  assert.equal(plain("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007ok\r\n10%\r50%\r100%\nend"), "red ok\n100%\nend");
});

test("the last line is that which says something, also when it came in pieces", () => {
  const tail = new Tail();
  assert.equal(tail.add("building\r\n"), "building");
  assert.equal(tail.add("Who are "), "Who are");
  assert.equal(tail.add("\u001b[1myou?\u001b[0m "), "Who are you?");
  assert.equal(tail.add("\r\n\r\n"), "Who are you?");
  assert.equal(tail.add("10%\r20%"), "20%");
});

test("a last line is bounded, whatever a command says", () => {
  const tail = new Tail();
  assert.equal(tail.add("x".repeat(1_000_000)).length, 200);
  assert.equal(tail.add("\nend"), "end");
});
