import assert from "node:assert/strict";
import { test } from "node:test";
import { afterWords, checkpointWords, fileWords, goWords, nothingWords, titleOf } from "../../src/rewind/words.ts";
import { changeKinds, rewindStates } from "../../src/protocol.gen.ts";
import type { Checkpoint, RewindFile } from "../../src/protocol.gen.ts";

const checkpoint: Checkpoint = {
  checkpointId: "k2", turnId: "t3", createdAt: Date.UTC(2026, 2, 1, 9, 30), title: "Mend the greeting",
  files: ["file:///w/greet.sh", "file:///w/a%20b.md"],
};

function file(over: Partial<RewindFile> = {}): RewindFile {
  return { uri: "file:///w/greet.sh", kind: "modify", state: "restore", plus: 3, minus: 1, ...over };
}

test("a checkpoint is known by what the person said, when, and which files", () => {
  const words = checkpointWords(checkpoint, checkpoint.createdAt + 60_000);
  assert.equal(words.label, "Before “Mend the greeting”");
  assert.match(words.description, /^2 files · \d\d:\d\d/);
  assert.equal(words.detail, "greet.sh, a b.md");
  const later = checkpointWords({ ...checkpoint, gone: true, rewindTo: "k1", files: Array.from({ length: 8 }, (_, i) => `file:///w/${i}`) }, checkpoint.createdAt + 9e8);
  assert.equal(later.label, "Before the rewind: Mend the greeting");
  assert.match(later.description, /2026.* · not kept any more$/);
  assert.equal(later.detail, "0, 1, 2, 3, 4 and 3 more");
});

test("a rewind of a rewind is called what it is", () => {
  assert.equal(titleOf(checkpoint, false), "Rewind to before “Mend the greeting”");
  assert.equal(titleOf(checkpoint, true), "Take back only “Mend the greeting”");
  assert.equal(titleOf({ ...checkpoint, rewindTo: "k1" }, true), "Undo the rewind: Mend the greeting");
});

test("every state and kind has words", () => {
  for (const state of rewindStates) for (const kind of changeKinds) assert.match(fileWords(file({ state, kind })), /^\+3 −1 · \w/);
  assert.equal(fileWords(file({ plus: 0, minus: 0, kind: "delete" })), "is removed again");
  assert.match(fileWords(file({ state: "conflict" })), /left alone: others changed the same lines/);
});

test("what is offered says how much is done and how much is left alone", () => {
  const left = [file({ state: "conflict" }), file({ state: "unkept" })];
  assert.deepEqual(goWords([file(), file({ state: "merge" }), ...left]), { label: "Rewind 2 files", description: "2 files are left alone" });
  assert.deepEqual(goWords([file(), file({ state: "unchanged" })]), { label: "Rewind 1 file", description: "" });
  assert.equal(goWords(left), undefined, "nothing is offered that would do nothing");
  assert.match(nothingWords(left), /look below why/);
  assert.match(nothingWords([file({ state: "unchanged" })]), /every file holds what it held/);
});

test("afterwards it is said what was done, and what was left alone and why", () => {
  assert.equal(afterWords([file(), file({ state: "unchanged" })]), "Rewound 1 file.");
  assert.equal(
    afterWords([file(), file({ uri: "file:///w/n.md", state: "conflict" }), file({ uri: "file:///w/o.md", state: "unkept", why: "it was too large" })]),
    "Rewound 1 file. Left alone: n.md (others changed the same lines), o.md (it was too large).",
  );
  assert.match(afterWords([file({ state: "conflict" })]), /^No file was rewound\. Left alone: greet\.sh/);
});
