import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Looks } from "../../src/model/looks.ts";

const uri = "file:///w/a.go";

/** Time stands still and goes on when it is told to. */
async function clock(play: (pass: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    await play(async (ms) => {
      mock.timers.tick(ms);
      await Promise.resolve();
    });
  } finally {
    mock.timers.reset();
  }
}

/** A wait, and whether it is over. */
function waiting(looks: Looks, waitMs = 1_000): { over: boolean } {
  const wait = { over: false };
  void looks.settled(uri, "go", waitMs).then(() => (wait.over = true));
  return wait;
}

test("what is said after a change is waited for, until nothing more comes", () => clock(async (pass) => {
  const looks = new Looks();
  looks.said(uri, "go");
  await pass(500);
  looks.changed(uri);
  const wait = waiting(looks);
  await pass(400);
  assert.equal(wait.over, false, "what was said was about another text");
  looks.said(uri, "go");
  await pass(60);
  looks.said(uri, "go");
  await pass(60);
  assert.equal(wait.over, false, "more came");
  await pass(40);
  assert.equal(wait.over, true);
}));

test("nobody waits longer than was asked for", () => clock(async (pass) => {
  const looks = new Looks();
  looks.said("file:///w/b.go", "go");
  looks.changed(uri);
  const wait = waiting(looks, 300);
  await pass(299);
  assert.equal(wait.over, false);
  looks.said(uri, "go");
  await pass(1);
  assert.equal(wait.over, true);
}));

test("of a language that nobody speaks nothing is waited for long", () => clock(async (pass) => {
  const looks = new Looks();
  looks.said("file:///w/a.json", "json");
  looks.changed(uri);
  const wait = waiting(looks);
  await pass(150);
  assert.equal(wait.over, true);
}));

test("a first word in time is heard out", () => clock(async (pass) => {
  const looks = new Looks();
  looks.changed(uri);
  const wait = waiting(looks);
  await pass(140);
  looks.said(uri, "go");
  await pass(99);
  assert.equal(wait.over, false);
  await pass(1);
  assert.equal(wait.over, true);
}));

test("what was said of the present text a while ago is not waited for again", () => clock(async (pass) => {
  const looks = new Looks();
  looks.changed(uri);
  looks.said(uri, "go");
  await pass(70);
  const fresh = waiting(looks);
  await pass(29);
  assert.equal(fresh.over, false);
  await pass(1);
  assert.equal(fresh.over, true);
  await pass(500);
  const late = waiting(looks);
  await pass(0);
  assert.equal(late.over, true);
}));
