import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { begin } from "../../src/bridge/begin.ts";
import { LaunchError } from "../../src/bridge/bridge.ts";
import { Frames } from "../../src/bridge/frames.ts";
import { endOf, kill, spawnBridge } from "../../src/bridge/process.ts";

const folder = mkdtempSync(join(tmpdir(), "drawbridge-begin-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a program of these lines in place of the bridge. */
async function start(lines: string, o: { ms?: number; signal?: AbortSignal } = {}) {
  const file = join(folder, `fake-${Math.random().toString(36).slice(2)}`);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  const child = await spawnBridge(file, {}, { write: () => undefined });
  const ended = endOf(child);
  const frames = new Frames();
  const broken = new Promise<string>((resolve) => {
    child.stdout?.on("data", (piece: Buffer) => {
      const words = frames.take(piece);
      if (words !== undefined) resolve(words);
    });
  });
  // What the client does with a pipe that closes: it fails in words that mean nothing to a person.
  const initialize = () => new Promise((_, reject) => child.stdout?.once("close", () => reject(new Error("connection got disposed"))));
  const began = begin({ kill: () => kill(child), ended, initialize, broken, signal: o.signal ?? new AbortController().signal, ms: o.ms ?? 60_000 });
  return { began, child, ended };
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a program that never answers is ended, and that is said", async () => {
  const { began, child } = await start("exec sleep 600", { ms: 150 });
  await assert.rejects(began, (fault) => fault instanceof LaunchError && /did not answer/.test(fault.message) && fault.help === "log");
  assert.equal(isAlive(child.pid), false);
});

test("a program that prints something else is ended, with its words", async () => {
  const { began, child } = await start('echo "Welcome to my shell"; exec sleep 600');
  await assert.rejects(began, (fault) => fault instanceof LaunchError && /Welcome to my shell/.test(fault.message));
  assert.equal(isAlive(child.pid), false);
});

test("a start that is called off ends the program", async () => {
  const calling = new AbortController();
  const { began, child } = await start("exec sleep 600", { signal: calling.signal });
  calling.abort();
  await assert.rejects(began);
  assert.equal(isAlive(child.pid), false);
});

test("settings that cannot be read are said in the program's words, and not tried again", async () => {
  const { began } = await start('echo "drawbridge: /h/config.yaml:1:1: unknown setting" >&2; exit 2');
  await assert.rejects(began, (fault) => fault instanceof LaunchError && /config\.yaml:1:1: unknown setting/.test(fault.message) && fault.help === "settingsFile");
});

test("another end is explained by the program's last words, and may be tried again", async () => {
  const { began } = await start('exec 1>&-; sleep 0.1; echo "boom: cannot" >&2; exit 3');
  await assert.rejects(began, (fault) => !(fault instanceof LaunchError) && fault instanceof Error && /code 3: boom: cannot/.test(fault.message));
});

test("a process that was left behind with the pipes keeps nobody waiting", async () => {
  const { began, ended } = await start("sleep 4 & exit 3");
  await assert.rejects(began, /code 3/);
  assert.equal((await ended).code, 3);
});

const message = (body: string): Buffer => Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

test("messages are taken in whatever pieces they come", () => {
  const all = Buffer.concat([message('{"a":1}'), Buffer.from("Content-Type: x\r\ncontent-length: 4\r\n\r\nGrü"), message("x".repeat(9000)), message("")]);
  for (const size of [1, 3, 20, 8192, all.length]) {
    const frames = new Frames();
    for (let at = 0; at < all.length; at += size) assert.equal(frames.take(all.subarray(at, at + size)), undefined);
  }
});

test("what stands before, between or after messages is found", () => {
  for (const pieces of [
    [Buffer.from("hello\n")], [message("{}"), Buffer.from("hello\n")], [Buffer.concat([message("{}"), Buffer.from("hello\n"), message("{}")])],
  ]) {
    const frames = new Frames();
    assert.equal(pieces.map((piece) => frames.take(piece)).at(-1), "hello");
  }
  assert.notEqual(new Frames().take(Buffer.from("Content-Type: x\r\n\r\n")), undefined);
  assert.notEqual(new Frames().take(Buffer.from(`Content-Type: ${"x".repeat(9000)}`)), undefined);
});
