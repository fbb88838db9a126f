import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { inertLabel, inertLines, inertMessage } from "../../src/model/inert.ts";

/** What the editor makes a link of in a message, and a picture of in a list. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
const picture = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/i;

const hostile = [
  "[Review](command:drawbridge.review.acceptAll).txt",
  '[x](https://example.org "y")', "[a](file:///etc/passwd)", "[[a](command:b)](command:c)",
  "[x]\u200b(command:y)", "[x]\n(command:y)", "[x]\u0000(command:y)", `${"a".repeat(390)}[b](command:c)`,
];

test("no link is left in what others say, however it is written", () => {
  for (const text of hostile) {
    for (const f of [inertMessage, inertLabel, inertLines]) assert.doesNotMatch(f(text), link, text);
  }
});

test("no picture is left in it", () => {
  for (const text of ["$(check) safe", "a $(sync~spin)$(x)", "$$(check)"]) assert.doesNotMatch(inertLabel(text), picture, text);
});

test("a text is one line, and of a length that fits", () => {
  assert.equal(inertMessage("a\r\n\tb \n c"), "a b c");
  assert.equal([...inertMessage("😀".repeat(9_000))].length, 400);
  assert.ok(inertLabel("x".repeat(9_000)).length <= 160);
  assert.equal(inertLines("a\nb"), "a\nb");
});

test("what turns text round or cannot be seen is named", () => {
  assert.equal(inertMessage("a\u202eb\u200bc\u001bd\u00ade"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩d⟨U+00AD⟩e");
});

test("what is inert already stays as it is", () => {
  for (const text of hostile) assert.equal(inertMessage(inertMessage(text)), inertMessage(text));
});

test("plain words stay as they are", () => {
  for (const text of ["go test ./... [x] (y)", "Größe → 1 😀", "echo $HOME", "日本語"]) assert.equal(inertMessage(text), text);
});

test("the editor's messages, lists and boxes are used in one place", () => {
  const src = resolve(import.meta.dirname, "../../src");
  const direct = /\b(?:show(?:Information|Warning|Error)Message|showQuickPick|showInputBox|create(?:QuickPick|InputBox)|setStatusBarMessage|withProgress)\b/;
  const users = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && direct.test(readFileSync(join(src, name), "utf8")));
  assert.deepEqual(users, ["say.ts"]);
});
