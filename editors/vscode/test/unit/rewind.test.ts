import assert from "node:assert/strict";
import { test } from "node:test";
import { afterWords, checkpointWords, doubtfulWords, fileWords, goWords, nothingWords, titleOf } from "../../src/rewind/words.ts";
import { rewindStates } from "../../src/protocol.gen.ts";
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
  const later = checkpointWords({ ...checkpoint, gone: true, rewindTo: "k1", title: "Rewind to before: Mend the greeting", files: Array.from({ length: 8 }, (_, i) => `file:///w/${i}`) }, checkpoint.createdAt + 9e8);
  assert.equal(later.label, "Before the rewind to before: Mend the greeting");
  assert.match(later.description, /2026.* · not kept any more$/);
  assert.equal(later.detail, "0, 1, 2, 3, 4 and 3 more");
});

test("a rewind of a rewind is called what it is", () => {
  assert.equal(titleOf(checkpoint, {}), "Rewind to before “Mend the greeting”");
  assert.equal(titleOf(checkpoint, { only: true }), "Take back only “Mend the greeting”");
  assert.equal(titleOf(checkpoint, { only: true, doubtful: true }), "Take back only “Mend the greeting”, with what may be somebody else's");
  assert.equal(titleOf({ ...checkpoint, rewindTo: "k1", title: "Rewind of only: Mend the greeting" }, { only: true }), "Undo of the rewind of only: Mend the greeting");
});

test("what is done to a file has the words that a terminal has for it", () => {
  const words = Object.fromEntries(rewindStates.map((state) => [state, fileWords(file({ state }))]));
  assert.deepEqual(words, {
    restore: "restore · +3 −1",
    merge: "merge · +3 −1 · what was changed since stays",
    conflict: "leave · +3 −1 · the same lines were changed since",
    unchanged: "unchanged · +3 −1 · holds it already",
    unkept: "leave · +3 −1 · what it held was not kept",
    doubtful: "leave · +3 −1 · changed while a command ran, maybe by somebody else",
  });
  assert.equal(fileWords(file({ plus: 0, minus: 0, kind: "delete" })), "remove");
  assert.equal(fileWords(file({ kind: "delete", state: "merge", plus: 0, minus: 1 })), "merge · +0 −1 · what was changed since stays");
});

test("a reason that is known stands apart, and not twice", () => {
  for (const state of ["conflict", "unkept", "doubtful"] as const) assert.equal(fileWords(file({ state, plus: 0, minus: 0, why: "because" })), "leave");
});

test("what may be somebody else's is offered apart, and only once", () => {
  const spared = [file({ state: "doubtful", doubtful: true }), file({ doubtful: true, why: "what changed while `make` ran stays" })];
  const offer = { label: "Take back what may be somebody else's, too…", description: "2 files changed while a command ran" };
  assert.deepEqual(doubtfulWords([file(), ...spared], false), offer);
  assert.equal(doubtfulWords([file(), ...spared], true), undefined);
  assert.equal(doubtfulWords([file(), file({ state: "unkept", doubtful: true })], false), undefined, "what was not kept cannot be taken back");
  assert.deepEqual(goWords(spared), { label: "Rewind 1 file", description: "1 file is left alone" });
  assert.match(nothingWords([spared[0]!]), /may be somebody else's work/);
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
    "Rewound 1 file. Left alone: n.md (the same lines were changed since), o.md (it was too large).",
  );
  assert.match(afterWords([file({ state: "conflict" })]), /^No file was rewound\. Left alone: greet\.sh/);
});
