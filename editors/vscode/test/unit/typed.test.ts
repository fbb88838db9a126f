/** What would be typed into a command is shown key by key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf } from "../../src/approvals/notices.ts";
import { sandboxWords } from "../../src/model/modes.ts";
import { hasKeys, typedPieces, typedWords } from "../../src/model/typed.ts";
import type { CommandQuestion } from "../../src/protocol.gen.ts";
import { question } from "./events.ts";

test("a return is named and ends its line", () => {
  assert.equal(typedWords("greet\n"), "greet⟨Enter⟩");
  assert.equal(typedWords("yes\r\nno\r"), "yes⟨Enter⟩\nno⟨Enter⟩");
  assert.equal(typedWords("greet"), "greet", "and a text without one is seen to have none");
});

test("keys that type nothing are named", () => {
  assert.equal(typedWords("\u0003"), "⟨Ctrl-C⟩");
  assert.equal(typedWords("\u001b[A\t\u007f\u0004"), "⟨Escape⟩[A⟨Tab⟩⟨Backspace⟩⟨Ctrl-D⟩");
  const [piece] = typedPieces("\u0003");
  assert.equal(piece?.kind === "unseen" && piece.title, "U+0003: the key Ctrl-C");
  assert.deepEqual(["a\n", "a\tb", "\u0003"].map(hasKeys), [false, true, true]);
});

test("characters that cannot be seen are named as in a command", () => {
  assert.equal(typedWords("rm\u00a0-rf\u202e"), "rm⟨U+00A0⟩-rf⟨U+202E⟩");
});

function asked(command: Partial<CommandQuestion>, title = "t"): string {
  const q = question("a1");
  assert.ok(q.command);
  return noticeOf([{ ...q, title, command: { ...q.command, ...command } }]).text;
}

test("a message says what is typed into what, and what would leave the sandbox", () => {
  assert.equal(asked({ text: "greet\n", typedInto: "npm init" }), "Drawbridge asks to type into npm init: greet⟨Enter⟩");
  assert.equal(asked({ text: "npm ci", escalation: "needs the network" }), "Drawbridge asks to run outside the sandbox: npm ci");
});

test("what a sandbox holds follows the preset", () => {
  assert.match(sandboxWords("bubblewrap", "workspace-write"), /\(bubblewrap\): writes only to the workspace, no network/);
  assert.match(sandboxWords("landlock", "read-only"), /\(landlock\): writes nothing of yours, no network/);
});
