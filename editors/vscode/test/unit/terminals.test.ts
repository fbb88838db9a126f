import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds } from "../../src/protocol.gen.ts";
import type { Exit, TerminalReadResult } from "../../src/protocol.gen.ts";
import { Feed } from "../../src/terminals/feed.ts";
import type { FeedOptions } from "../../src/terminals/feed.ts";
import { Lines } from "../../src/terminals/lines.ts";
import { Typing } from "../../src/terminals/typing.ts";
import { Waits } from "../../src/terminals/waits.ts";
import { exitWords, leftWords, sizeWords, terminalName } from "../../src/terminals/words.ts";
import { settled } from "./proposals.ts";

/** A feed whose bridge keeps the bytes of text from a first one on. */
function table(kept = "", first = 0, options: FeedOptions = {}) {
  const seen = { text: "", acks: [] as number[], reads: [] as [number, number][], exits: [] as (Exit | undefined)[] };
  const feed = new Feed({
    write: (data) => (seen.text += data),
    ack: (offset) => seen.acks.push(offset),
    read: async (offset, max): Promise<TerminalReadResult> => {
      seen.reads.push([offset, max]);
      const from = Math.max(offset, first);
      const end = Math.min(from + max, kept.length); // as many bytes as were asked for, also when they begin later
      return { data: kept.slice(from, end), offset: from, end, eof: end === kept.length };
    },
    ended: (exit) => seen.exits.push(exit),
  }, options);
  const piece = (data: string, offset: number) => feed.output({ data, offset, end: offset + data.length });
  const plain = () => seen.text.replaceAll(/\u001b\[\d*m/g, "");
  return { feed, piece, seen, plain };
}

test("output is shown as it comes, and acknowledged when it was shown", () => {
  const { feed, piece, seen } = table();
  feed.watch();
  piece("\u001b[31mred", 0);
  assert.deepEqual([seen.text, seen.acks], ["\u001b[31mred", [8]]);
  piece("\r\n", 8);
  assert.deepEqual([seen.text, seen.acks], ["\u001b[31mred\r\n", [8, 10]]);
});

test("what comes before there is a view waits for it, unacknowledged", () => {
  const { feed, piece, seen, plain } = table();
  piece("one ", 0);
  piece("two\r\n", 4);
  feed.close("exited with code 0", { code: 0 });
  assert.deepEqual([seen.text, seen.acks.length, seen.exits.length], ["", 0, 0]);
  feed.watch();
  assert.equal(plain(), "one two\r\n[exited with code 0]\r\n");
  assert.deepEqual([seen.acks, seen.exits], [[4, 9], [{ code: 0 }]]);
});

test("a long wait holds a bounded part back and reads the rest when there is a view", async () => {
  const half = bounds.maxUnackedSilent / 2;
  const text = "a".repeat(half) + "b".repeat(half) + "c".repeat(half);
  const { feed, piece, seen } = table(text);
  for (const i of [0, 1, 2]) piece(text.slice(i * half, (i + 1) * half), i * half);
  feed.watch();
  await settled();
  assert.deepEqual(seen.reads, [[0, half]]);
  assert.equal(seen.text, text);
});

test("what the bridge left out is read where it is still kept, and shown in its place", async () => {
  const { feed, piece, seen } = table("abcdefgh");
  feed.watch();
  piece("ab", 0);
  piece("gh", 6);
  piece("!", 8);
  assert.equal(seen.text, "ab", "nothing overtakes what is missing");
  await settled();
  assert.equal(seen.text, "abcdefgh!");
  assert.deepEqual(seen.acks, [2, 6, 8, 9]);
  assert.deepEqual(seen.reads, [[2, 4]]);
});

test("what is kept no more is said, with how much it was", async () => {
  const { feed, piece, plain } = table("abcdefgh", 4);
  feed.watch();
  piece("ab", 0);
  piece("gh", 6);
  await settled();
  assert.equal(plain(), "ab\r\n[2 bytes of output skipped]\r\nefgh");
});

test("what is kept from the middle of a hole on does not reach into what follows", async () => {
  const { feed, piece, plain } = table("abcdefghij", 4);
  feed.watch();
  piece("ab", 0);
  piece("ghij", 6);
  await settled();
  assert.equal(plain(), "ab\r\n[2 bytes of output skipped]\r\nefghij");
});

test("a hole of which nothing is kept is said as a whole", async () => {
  const { feed, piece, plain } = table("abcdefghij", 7);
  feed.watch();
  piece("ab", 0);
  piece("ghij", 6);
  await settled();
  assert.equal(plain(), "ab\r\n[4 bytes of output skipped]\r\nghij");
});

test("of a long hole the newest part is read", async () => {
  const { feed, piece, seen, plain } = table("x".repeat(bounds.maxUnackedSilent + 2048) + "end");
  feed.watch();
  piece("end", bounds.maxUnackedSilent + 2048);
  await settled();
  assert.deepEqual(seen.reads, [[2048, bounds.maxUnackedSilent]]);
  assert.match(plain(), /^\[2\.0 KiB of output skipped\]\r\nx+end$/);
});

test("a bridge that cannot be asked leaves a hole that is said", async () => {
  const texts: string[] = [];
  const feed = new Feed({ write: (t) => texts.push(t), ack: () => undefined, read: () => Promise.reject(new Error("gone")), ended: () => undefined });
  feed.watch();
  feed.output({ data: "end", offset: 1024, end: 1027 });
  await settled();
  assert.match(texts.join(""), /1\.0 KiB of output skipped.*end$/s);
});

test("nothing is shown twice", async () => {
  const { feed, piece, seen } = table("abcdef");
  feed.watch();
  piece("ef", 4);
  piece("ef", 4);
  await settled();
  assert.equal(seen.text, "abcdef");
});

test("the end comes after the last output, also when that has to be read first", async () => {
  const { feed, piece, seen, plain } = table("abcdef");
  feed.watch();
  piece("f", 5);
  feed.close("ended by SIGTERM", { signal: "SIGTERM" });
  feed.close("exited with code 0", { code: 0 });
  assert.equal(seen.exits.length, 0);
  await settled();
  assert.equal(plain(), "abcdef\r\n[ended by SIGTERM]\r\n");
  assert.deepEqual(seen.exits, [{ signal: "SIGTERM" }]);
});

test("of a command of an earlier bridge the end of its output is shown", () => {
  const { feed, plain, seen } = table("", 0, { tail: "line\nline\r\n$ " });
  feed.close("exited with code 1", { code: 1 });
  feed.watch();
  assert.equal(plain(), "line\r\nline\r\n$ \r\n[exited with code 1]\r\n");
  assert.deepEqual(seen.acks, []);
});

test("what is typed arrives in order, one message at a time", async () => {
  const sent: string[] = [];
  const done: (() => void)[] = [];
  const typing = new Typing((text) => {
    sent.push(text);
    return new Promise<void>((resolve) => done.push(resolve));
  }, () => undefined);
  typing.type("y");
  typing.type("e");
  typing.type("s\r");
  assert.deepEqual(sent, ["y"]);
  done.shift()?.();
  await settled();
  assert.deepEqual(sent, ["y", "es\r"]);
});

test("a message that fails is told and does not hold up the next", async () => {
  const faults: unknown[] = [];
  const sent: string[] = [];
  const typing = new Typing(async (text) => {
    sent.push(text);
    if (text === "a") throw new Error("no");
  }, (thrown) => faults.push(thrown));
  typing.type("a");
  typing.type("b");
  await settled();
  typing.type("c");
  await settled();
  assert.deepEqual([sent, faults.length], [["a", "b", "c"], 1]);
});

test("names and ends in words", () => {
  assert.equal(terminalName("go test ./..."), "go test ./...");
  assert.equal(terminalName("go test ./...", { exit: { code: 1 } }), "go test ./... (exit 1)");
  assert.equal(terminalName("true", { exit: { code: 0 } }), "true (done)");
  assert.equal(terminalName("sleep 9", { exit: { signal: "SIGTERM" } }), "sleep 9 (SIGTERM)");
  assert.equal(terminalName("cat <<END\nEND"), "cat <<END");
  assert.equal(terminalName("x".repeat(50)).length, 40);
  assert.equal(terminalName(" \n"), "command");
  assert.equal(terminalName("npm init", { waiting: true }), "npm init (waits for typing)");
  const survivors = [{ pid: 7, name: "node server.js" }, { pid: 8, name: "[x](command:y)" }];
  assert.equal(terminalName("make", { exit: { code: 0 }, survivors }), "make (exit 0, 2 still run)");
  assert.match(leftWords({ code: 0 }, survivors.slice(0, 1)), /^exited with code 0; 1 process still runs: node server\.js; closing/);
  assert.doesNotMatch(leftWords({ code: 0 }, survivors), /\]\(/, "names of processes are the command's own words");
  assert.deepEqual([exitWords({ code: 3 }), exitWords({ signal: "SIGKILL" })], ["exited with code 3", "ended by SIGKILL"]);
  assert.deepEqual([12, 1536, 3 << 20].map(sizeWords), ["12 bytes", "1.5 KiB", "3.0 MiB"]);
});

test("lines of pipes begin at the left", () => {
  const { feed, piece, seen } = table("", 0, { pipes: true });
  feed.watch();
  piece("one\ntwo\r\n", 0);
  piece("three\r", 9);
  piece("\nfour", 15);
  assert.equal(seen.text.replaceAll("\r\r", "\r"), "one\r\ntwo\r\nthree\r\nfour");
});

test("a line of our own stands where it was said, also behind a hole that is filled first", async () => {
  const { feed, piece, plain } = table("abcdef");
  feed.watch();
  piece("f", 5);
  feed.note("it left something behind");
  piece("g", 6);
  await settled();
  assert.equal(plain(), "abcdef\r\n[it left something behind]\r\ng");
});

test("a line of our own does not count as output that is held back", () => {
  const { feed, seen } = table();
  for (let i = 0; i < 5; i++) feed.note("x");
  feed.watch();
  assert.deepEqual([seen.reads.length, seen.acks.length], [0, 0]);
});

function pipes() {
  const done = { shown: "", sent: [] as string[], deaf: [] as string[] };
  const lines = new Lines({
    echo: (text) => (done.shown += text), send: (line) => done.sent.push(line), deaf: (key) => done.deaf.push(key),
  });
  return { done, type: (text: string) => lines.type(text) };
}

test("what is typed into pipes is shown at once and sent by the line", () => {
  const { done, type } = pipes();
  for (const key of ["A", "d", "a"]) type(key);
  assert.deepEqual([done.shown, done.sent], ["Ada", []]);
  type("\r");
  type("one\rtwo\nthree");
  assert.deepEqual([done.shown, done.sent], ["Ada\r\none\r\ntwo\r\nthree", ["Ada\n", "one\n", "two\n"]]);
});

test("a line of pipes is mended before it is sent, by characters as people count them", () => {
  const { done, type } = pipes();
  type("ab\u007f\u007f\u007fxe\u0301日\u007f\u007fy\r");
  assert.deepEqual(done.sent, ["xy\n"]);
  assert.equal(done.shown, "ab\b \b\b \bxe\u0301日\b \b\b \b\b \by\r\n");
  type("all of it\u0015no\r");
  assert.deepEqual(done.sent[1], "no\n");
});

test("keys that mean something to a terminal alone reach no pipe", () => {
  const { done, type } = pipes();
  type("a\u001b[A\u001b[1;5C\u001bOP\u0003\u0004b\r");
  assert.deepEqual([done.sent, done.deaf], [["ab\n"], ["Ctrl+C", "Ctrl+D"]]);
});

test("a command that waits in the foreground is told of each time, one in the background once", () => {
  const waits = new Waits();
  const told = (key: string, background: boolean): boolean[] =>
    [true, true, false, true].map((waiting) => waits.begins(key, { waiting, background }));
  assert.deepEqual(told("a", false), [true, false, false, true]);
  assert.deepEqual(told("b", true), [true, false, false, false]);
  assert.equal(waits.begins("a", { waiting: true, background: true }), false, "it waited already when it yielded");
  waits.over("b");
  assert.equal(waits.begins("b", { waiting: true, background: true }), true);
});
