import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenModel } from "../../src/model/model-setting.ts";

test("a workspace that is trusted may name a model", () => {
  assert.equal(chosenModel({ own: "a:x", workspace: " b:y ", trusted: true }), "b:y");
  assert.equal(chosenModel({ own: "", workspace: "b:y", trusted: true }), "b:y");
});

test("one that is not trusted may not", () => {
  assert.equal(chosenModel({ own: "a:x", workspace: "b:y", trusted: false }), "a:x");
  assert.equal(chosenModel({ own: "", workspace: "b:y", trusted: false }), "");
});

test("no workspace names a script; a person does", () => {
  for (const workspace of ["script:/w/evil.txt", " SCRIPT:/w/evil.txt", "script :/w/evil.txt"]) {
    assert.equal(chosenModel({ own: "a:x", workspace, trusted: true }), "a:x");
  }
  assert.equal(chosenModel({ own: "script:/me/try.txt", workspace: "", trusted: false }), "script:/me/try.txt");
});
