import assert from "node:assert/strict";
import { test } from "node:test";
import { compose, countLines, extent, hunkAt, hunkFrom, linesOf, stat } from "../../src/review/hunks.ts";
import { hunk, three } from "./proposals.ts";

const removed = hunk("h1", { old: 4, new: 4 }, "a\nb\n", "");
const added = hunk("h1", { old: 4, new: 4 }, "", "a\nb\n");

test("a hunk's lines end before the line after it, also where the text ends without a line end", () => {
  assert.deepEqual(linesOf(hunk("h", { old: 3, new: 3 }, "a\nb\n", "c\n"), "old"), { start: 3, end: 5 });
  assert.deepEqual(linesOf(hunk("h", { old: 3, new: 3 }, "a\nb", "c"), "old"), { start: 3, end: 5 });
  assert.deepEqual(linesOf(hunk("h", { old: 3, new: 3 }, "a\nb", "c"), "new"), { start: 3, end: 4 });
  assert.deepEqual(linesOf(removed, "new"), { start: 4, end: 4 });
});

test("a cursor is in the hunk whose lines it stands in", () => {
  assert.equal(hunkAt(three, "new", 6)?.hunkId, "h2");
  assert.equal(hunkAt(three, "new", 7), undefined);
});

test("lines that are gone can be reached from both lines around them", () => {
  assert.deepEqual([2, 3, 4, 5].map((line) => hunkAt([removed], "new", line)?.hunkId), [undefined, "h1", "h1", undefined]);
  assert.deepEqual([3, 4, 5, 6].map((line) => hunkAt([removed], "old", line)?.hunkId), [undefined, "h1", "h1", undefined]);
  assert.equal(hunkAt([added], "old", 4)?.hunkId, "h1");
});

test("a hunk with lines wins over one between lines", () => {
  const list = [hunk("h1", { old: 4, new: 4 }, "a\n", ""), hunk("h2", { old: 6, new: 4 }, "b\n", "c\n")];
  assert.equal(hunkAt(list, "new", 4)?.hunkId, "h2");
});

test("next and previous skip the hunk the cursor is in and end at the ends", () => {
  assert.equal(hunkFrom(three, "new", 0, "down")?.hunkId, "h1");
  assert.equal(hunkFrom(three, "new", 2, "down")?.hunkId, "h2");
  assert.equal(hunkFrom(three, "new", 10, "down"), undefined);
  assert.equal(hunkFrom(three, "new", 10, "up")?.hunkId, "h2");
  assert.equal(hunkFrom(three, "new", 2, "up"), undefined);
  const long = [hunk("h1", { old: 0, new: 0 }, "x\n", "a\nb\nc\n"), three[1]!];
  assert.equal(hunkFrom(long, "new", 2, "up"), undefined, "its own first line is not above the hunk");
});

test("text is composed of the hunks that are named", () => {
  const old = "0\n1\nHelo\n3\n4\n5\nHelo\n7\n8\n9\nHelo\n";
  assert.equal(compose(old, three, new Set()), old);
  assert.equal(compose(old, three, new Set(["h1", "h3"])), "0\n1\nHello\n3\n4\n5\nHelo\n7\n8\n9\nHello\n");
  const all = [hunk("h1", { old: 0, new: 0 }, "", "top\n"), hunk("h2", { old: 1, new: 2 }, "b\nc", "B")];
  assert.equal(compose("a\nb\nc", all, new Set(["h1", "h2"])), "top\na\nB");
  assert.equal(compose("a\nb\nc", all, new Set(["h1"])), "top\na\nb\nc");
});

test("text is composed with the line ends it has", () => {
  const hunks = [hunk("h1", { old: 1, new: 1 }, "b\r\n", "B\r\n")].map((h) => ({
    ...h, oldRange: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
  }));
  assert.equal(compose("a\r\nb\r\nc\r\n", hunks, new Set(["h1"])), "a\r\nB\r\nc\r\n");
  assert.equal(compose("a\rb\r\nc\n", [{ ...hunks[0]!, newText: "X\n" }], new Set(["h1"])), "a\rX\nc\n");
});

test("a new file is composed from nothing and a removed one to nothing", () => {
  assert.equal(compose("", [hunk("h1", { old: 0, new: 0 }, "", "a\nb")], new Set(["h1"])), "a\nb");
  assert.equal(compose("a\nb", [hunk("h1", { old: 0, new: 0 }, "a\nb", "")], new Set(["h1"])), "");
});

test("lines are counted as editors count them", () => {
  assert.deepEqual(["", "a", "a\n", "a\r\nb", "a\rb\r", "\n\n"].map(countLines), [0, 1, 1, 2, 2, 2]);
  assert.deepEqual(stat([removed, hunk("h2", { old: 9, new: 7 }, "x\n", "y\nz\n")]), { plus: 2, minus: 3 });
});

test("what a change is, in a word", () => {
  assert.equal(extent("modify", 1), "1 hunk");
  assert.equal(extent("modify", 3), "3 hunks");
  assert.equal(extent("create", 1), "new file");
  assert.equal(extent("delete", 1), "deletes the file");
});
