import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import { checkProtocol, chooseBinary, parseVersion } from "../../src/bridge/binary.ts";
import type { Choice } from "../../src/bridge/binary.ts";
import { isOfMachine } from "../../src/bridge/foreign.ts";
import { parseLogLine } from "../../src/bridge/logline.ts";
import { protocolVersion } from "../../src/protocol.gen.ts";

/** A folder that is a link into the workspace, and a file that is one. */
const links: { readonly [file: string]: string } = { "/opt/linked": "/w/bin", "/opt/filed/drawbridge": "/w/bin/drawbridge" };

function choose(there: readonly string[], setting = "", path = ["/usr/bin", "", "/opt/bin"]): Choice {
  return chooseBinary({
    setting, bundled: "/ext/bin/drawbridge", path, name: "drawbridge", home: "/home/ada",
    join: posix.join, isAbsolute: posix.isAbsolute, runnable: (file) => there.includes(file),
    ofMachine: (file) => isOfMachine(file, ["/w"], (f) => links[f] ?? f),
  });
}

test("without a setting the bundled program counts, then the first on PATH", () => {
  assert.deepEqual(choose(["/ext/bin/drawbridge", "/usr/bin/drawbridge"]), { kind: "found", file: "/ext/bin/drawbridge", from: "bundled" });
  assert.deepEqual(choose(["/opt/bin/drawbridge", "/usr/bin/drawbridge"]), { kind: "found", file: "/usr/bin/drawbridge", from: "path" });
});

test("what the user set wins, home folder included", () => {
  assert.deepEqual(choose(["/ext/bin/drawbridge", "/x/db"], "/x/db"), { kind: "found", file: "/x/db", from: "setting" });
  assert.deepEqual(choose(["/home/ada/go/bin/drawbridge"], "~/go/bin/drawbridge"),
    { kind: "found", file: "/home/ada/go/bin/drawbridge", from: "setting" });
});

test("a wrong setting is said and not replaced by another program", () => {
  const choice = choose(["/ext/bin/drawbridge"], "/x/gone");
  assert.ok(choice.kind === "missing" && choice.why.includes("/x/gone") && choice.why.includes("drawbridge.path"));
});

test("an empty part of PATH is not the current folder", () => {
  const choice = choose(["drawbridge"]);
  assert.equal(choice.kind, "missing");
});

test("a workspace cannot bring the program by way of PATH", () => {
  for (const folder of [".", "bin", "/w", "/w/node_modules/.bin", "/opt/linked", "/opt/filed"]) {
    const there = [posix.join(folder, "drawbridge"), "/opt/bin/drawbridge"];
    assert.deepEqual(choose(there, "", [folder, "/opt/bin"]), { kind: "found", file: "/opt/bin/drawbridge", from: "path" }, folder);
  }
  assert.equal(choose(["/wide/drawbridge"], "", ["/wide"]).kind, "found", "a folder beside the workspace");
});

test("a setting that is no absolute path names nothing", () => {
  const choice = choose(["drawbridge", "/w/drawbridge"], "drawbridge");
  assert.ok(choice.kind === "missing" && choice.why.includes("absolute"));
});

test("the version is read from the program's own words, and from no other program's", () => {
  assert.equal(parseVersion("drawbridge 0.1.0-dev\n"), "0.1.0-dev");
  assert.equal(parseVersion("drawbridge 1.2.3"), "1.2.3");
  assert.equal(parseVersion("git version 2.39.5\n"), undefined);
  assert.equal(parseVersion(""), undefined);
});

const server = { serverVersion: "0.9.0", profiles: [], modes: [], presets: [], models: [], limits: { frameBytes: 1, unackedBytes: 1 } };

test("the same protocol is agreed on without a word", () => {
  const same = checkProtocol({ drawbridge: { ...server, version: protocolVersion } });
  assert.ok(same.kind === "agreed" && same.note === undefined);
});

test("a program that speaks no protocol, or a newer one than it may, is refused with the reason", () => {
  for (const experimental of [undefined, {}, { drawbridge: {} }, { drawbridge: { ...server, version: "1" } }, { drawbridge: { ...server, version: 0 } }]) {
    assert.equal(checkProtocol(experimental).kind, "unknown");
  }
  const newer = checkProtocol({ drawbridge: { ...server, version: protocolVersion + 1 } });
  assert.ok(newer.kind === "unknown" && newer.why.includes(`version ${protocolVersion + 1}`));
});

test("the bridge's log lines keep their level and lose the time that the editor's log has itself", () => {
  assert.deepEqual(parseLogLine('time=2026-01-01T00:00:00.000Z level=WARN msg="message refused" code=-32700'),
    { level: "warn", text: 'msg="message refused" code=-32700' });
  assert.deepEqual(parseLogLine("time=x level=ERROR+2 msg=a"), { level: "error", text: "msg=a" });
  assert.deepEqual(parseLogLine("drawbridge: no such flag"), { level: "info", text: "drawbridge: no such flag" });
});
