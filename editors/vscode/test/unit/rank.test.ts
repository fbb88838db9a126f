import assert from "node:assert/strict";
import { test } from "node:test";
import { rank } from "../../src/model/rank.ts";

const paths = [
  "src/bridge/link.ts", "src/model/desk.ts", "docs/desk-notes.md", "src/webview/markdown.ts", "README.md",
  "test/unit/desk.test.ts", "src/conversation/messages.ts", "src/model/SessionDesk.ts", "assets/d/e/s/k.png",
];

function found(query: string, limit = 20): string[] {
  return rank(query, paths.map((path) => ({ path })), limit).map((c) => c.path);
}

test("without letters the order stays and the limit holds", () => {
  assert.deepEqual(found("", 3), paths.slice(0, 3));
});

test("a name that begins with the letters comes first, the shorter path before the longer", () => {
  assert.deepEqual(found("desk").slice(0, 3), ["src/model/desk.ts", "docs/desk-notes.md", "test/unit/desk.test.ts"]);
});

test("letters scattered over folders come last", () => {
  assert.equal(found("desk").at(-1), "assets/d/e/s/k.png");
});

test("beginnings of words count, of camel case too", () => {
  assert.equal(found("sd")[0], "src/model/SessionDesk.ts");
});

test("case does not matter", () => {
  assert.equal(found("readme")[0], "README.md");
  assert.equal(found("READ")[0], "README.md");
});

test("a slash means a path", () => {
  assert.equal(found("model/desk")[0], "src/model/desk.ts");
  assert.deepEqual(found("bridge/li"), ["src/bridge/link.ts"]);
});

test("what does not match is not offered", () => {
  assert.deepEqual(found("zzz"), []);
});

test("a long query over many files is quick enough to type along", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ path: `packages/part-${i % 97}/src/deep/folder/file-${i}.ts` }));
  assert.equal(rank("file19999", many, 5)[0]?.path, "packages/part-17/src/deep/folder/file-19999.ts");
});
