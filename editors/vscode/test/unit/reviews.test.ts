import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "../../src/model/desk.ts";
import { Sessions } from "../../src/model/sessions.ts";
import { decideHunk, decideRest } from "../../src/review/deciding.ts";
import type { DecideDeps } from "../../src/review/deciding.ts";
import { Kept } from "../../src/review/kept.ts";
import type { Store } from "../../src/review/kept.ts";
import { groups, neighbour } from "../../src/review/listing.ts";
import { MarkBook } from "../../src/review/marks.ts";
import { Reviews, undecided } from "../../src/review/reviews.ts";
import type { ChangeResolveParams, ChangeResolveResult, ChangeUpdated } from "../../src/protocol.gen.ts";
import { ask, changed, proposal, session, settled, three } from "./proposals.ts";

function memory(): Store {
  const held = new Map<string, unknown>();
  return { get: <T>(key: string) => held.get(key) as T | undefined, update: async (key, value) => void held.set(key, value) };
}

function table(store = memory()) {
  const desk = new Desk();
  const sessions = new Sessions();
  const marks = new MarkBook(desk);
  const kept = new Kept(store);
  sessions.adopt(session());
  sessions.adopt(session("s2"));
  sessions.show("s1");
  const reviews = new Reviews({ desk, sessions, marks, kept });
  let seq = 0;
  const update = (over: Partial<ChangeUpdated> = {}) => sessions.apply("change/updated", changed({ ...over, seq: ++seq }));
  const resolved: ChangeResolveParams[] = [];
  let result: ChangeResolveResult = { state: "partly", applied: [], rejected: [], stale: [] };
  const link = {
    request: async (_method: string, params: ChangeResolveParams) => {
      resolved.push(params);
      return result;
    },
  } as unknown as DecideDeps["link"];
  const deps: DecideDeps = { link, marks, kept };
  return { desk, sessions, marks, kept, reviews, update, deps, resolved, answerWith: (r: ChangeResolveResult) => (result = r) };
}

test("what is asked about waits, with the marks it has", () => {
  const { desk, marks, reviews } = table();
  ask(desk, proposal());
  marks.mark("g1", "h2", "reject");
  assert.deepEqual(reviews.open.map((r) => [r.changeId, r.phase, undecided(r).map((h) => h.hunkId)]), [["g1", "waiting", ["h1", "h3"]]]);
});

test("what was applied unasked is to be reviewed until all of it was kept", () => {
  const { kept, reviews, update } = table();
  update();
  kept.keep("s1", "g1", ["h1", "h3"]);
  assert.deepEqual(reviews.open.map((r) => [r.phase, undecided(r).map((h) => h.hunkId)]), [["applied", ["h2"]]]);
  kept.keep("s1", "g1", ["h2"]);
  assert.equal(reviews.open.length, 0);
  assert.deepEqual(reviews.settled.map((r) => r.changeId), ["g1"]);
});

test("what is kept stays kept in the next window, for its own session alone", () => {
  const store = memory();
  table(store).kept.keep("s1", "g1", "all");
  const { reviews, update, sessions } = table(store);
  update();
  assert.equal(reviews.open.length, 0);
  sessions.show("s2");
  update({ sessionId: "s2" });
  assert.equal(reviews.open.length, 1);
});

test("what is kept is forgotten for sessions that were reviewed long ago", () => {
  const kept = new Kept(memory());
  for (let i = 0; i < 60; i++) kept.keep(`s${i}`, "g1", "all");
  kept.keep("s10", "g2", "all");
  kept.keep("s60", "g1", "all");
  assert.equal(kept.hasAll("s10", "g1"), true, "used again meanwhile");
  assert.equal(kept.hasAll("s11", "g1"), false);
  assert.equal(kept.hasAll("s59", "g1"), true);
});

test("what was kept as a whole stays so when a hunk of it is kept", () => {
  const kept = new Kept(memory());
  kept.keep("s1", "g1", "all");
  kept.keep("s1", "g1", ["h1"]);
  assert.equal(kept.has("s1", "g1", "h2"), true);
});

test("what a store holds that is not ours is no reason to fail", () => {
  const kept = new Kept({ get: <T>() => "nonsense" as T, update: async () => undefined });
  assert.equal(kept.has("s1", "g1", "h1"), false);
});

test("hunks that were refused are not shown of a change that was applied in part", () => {
  const { reviews, update } = table();
  update({ state: "partly", hunks: three.map((h, i) => ({ ...h, state: i === 1 ? "rejected" : "applied" })) });
  assert.deepEqual(reviews.open[0]?.hunks.map((h) => h.hunkId), ["h1", "h3"]);
});

test("changes that do not stand, or whose text is gone, ask nothing of anyone", () => {
  const { reviews, update } = table();
  update({ changeId: "g1", state: "rejected" });
  update({ changeId: "g2", state: "reverted" });
  update({ changeId: "g3", state: "stale", why: "the file changed" });
  update({ changeId: "g4", state: "applied", gone: true, hunks: [] });
  assert.equal(reviews.open.length, 0);
  assert.deepEqual(reviews.settled.map((r) => r.changeId), ["g4", "g3", "g2", "g1"]);
});

test("an empty file that was made is reviewed although it has no hunk", () => {
  const { reviews, update, kept } = table();
  update({ kind: "create", hunks: [] });
  assert.equal(reviews.open[0]?.phase, "applied");
  kept.keep("s1", "g1", "all");
  assert.equal(reviews.open.length, 0);
});

test("an empty file that was made can be kept by a click", async () => {
  const { reviews, update, deps } = table();
  update({ kind: "create", hunks: [] });
  await decideRest(deps, reviews.open[0]!, "accept");
  assert.equal(reviews.open.length, 0);
});

test("questions of every session wait, applied changes are those of the session that is shown", () => {
  const { desk, reviews, sessions, update } = table();
  update();
  ask(desk, proposal({ sessionId: "s2", approvalId: "b1", changeId: "g7" }));
  assert.deepEqual(reviews.open.map((r) => `${r.sessionId}/${r.changeId}`), ["s2/g7", "s1/g1"]);
  sessions.show("s2");
  assert.deepEqual(reviews.open.map((r) => `${r.sessionId}/${r.changeId}`), ["s2/g7"]);
});

test("listeners hear of what can be reviewed, not of every word of the model", () => {
  const { desk, marks, reviews, sessions, update } = table();
  let heard = 0;
  reviews.onChange(() => heard++);
  sessions.apply("message/chunk", { sessionId: "s1", seq: 500, text: "Hello" });
  assert.equal(heard, 0);
  ask(desk, proposal({ changeId: "g9" }));
  assert.equal(heard, 1);
  marks.mark("g9", "h1", "accept");
  assert.equal(heard, 2);
  update({ seq: 501 });
});

test("listeners hear that a kept change was taken back, for it may be shown", () => {
  const { kept, reviews, update } = table();
  update();
  kept.keep("s1", "g1", "all");
  let heard = 0;
  reviews.onChange(() => heard++);
  update({ state: "reverted", base: "b2" });
  assert.equal(heard, 1);
  assert.deepEqual(reviews.settled.map((r) => r.state), ["reverted"]);
});

test("a change that is asked about anew waits, whatever became of it before", () => {
  const { desk, reviews, update } = table();
  update({ state: "stale" });
  ask(desk, proposal());
  assert.deepEqual([reviews.open.map((r) => r.phase), reviews.settled.length], [["waiting"], 0]);
});

test("news that changes nothing is not told", () => {
  const { reviews, update } = table();
  update();
  let heard = 0;
  reviews.onChange(() => heard++);
  update();
  assert.equal(heard, 0);
});

test("the list has what waits first and no empty group", () => {
  const { desk, reviews, update } = table();
  assert.deepEqual(groups(reviews.open), []);
  update({ changeId: "g1" });
  assert.deepEqual(groups(reviews.open).map((g) => [g.id, g.reviews.length]), [["applied", 1]]);
  ask(desk, proposal({ changeId: "g2" }));
  assert.deepEqual(groups(reviews.open).map((g) => [g.id, g.reviews.length]), [["waiting", 1], ["applied", 1]]);
});

test("after the last file comes the first, and a lone file has no neighbour", () => {
  const { desk, reviews } = table();
  ask(desk, proposal({ approvalId: "a1", changeId: "g1" }));
  const at = (changeId: string) => ({ sessionId: "s1", changeId });
  assert.equal(neighbour(reviews.open, at("g1"), "down"), undefined);
  ask(desk, proposal({ approvalId: "a2", changeId: "g2" }));
  ask(desk, proposal({ approvalId: "a3", changeId: "g3" }));
  assert.equal(neighbour(reviews.open, at("g1"), "down")?.changeId, "g2");
  assert.equal(neighbour(reviews.open, at("g1"), "up")?.changeId, "g3");
  assert.equal(neighbour(reviews.open, at("g3"), "down")?.changeId, "g1");
  assert.equal(neighbour(reviews.open, at("gone"), "down")?.changeId, "g1");
});

test("to undo a hunk asks the bridge, with the newest base", async () => {
  const { reviews, update, deps, resolved } = table();
  update({ base: "b1" });
  update({ base: "b2" });
  await decideHunk(deps, reviews.find("s1", "g1")!, "h2", "reject");
  assert.deepEqual(resolved, [{ sessionId: "s1", changeId: "g1", base: "b2", reject: ["h2"] }]);
});

test("to undo the rest leaves what was kept", async () => {
  const { reviews, update, deps, resolved, kept } = table();
  update();
  await decideRest(deps, reviews.find("s1", "g1")!, "reject");
  kept.keep("s1", "g1", ["h1"]);
  await decideRest(deps, reviews.find("s1", "g1")!, "reject");
  assert.deepEqual(resolved.map((r) => r.reject), ["all", ["h2", "h3"]]);
});

test("to keep asks nobody", async () => {
  const { reviews, update, deps, resolved } = table();
  update();
  await decideHunk(deps, reviews.find("s1", "g1")!, "h1", "accept");
  await decideRest(deps, reviews.find("s1", "g1")!, "accept");
  assert.equal(resolved.length, 0);
  assert.equal(reviews.find("s1", "g1")?.phase, "settled");
});

test("a kept hunk can still be undone", async () => {
  const { reviews, update, deps, resolved, kept } = table();
  update();
  kept.keep("s1", "g1", "all");
  await decideHunk(deps, reviews.find("s1", "g1")!, "h3", "reject");
  assert.deepEqual(resolved.map((r) => r.reject), [["h3"]]);
});

test("what could not be undone is told", async () => {
  const { reviews, update, deps, answerWith } = table();
  update();
  answerWith({ state: "applied", applied: [], rejected: [], stale: ["h2"] });
  const message = await decideHunk(deps, reviews.find("s1", "g1")!, "h2", "reject");
  assert.match(message ?? "", /greet\.go could not be undone: its lines changed since/);
});

test("a change that does not stand is not sent to the bridge to be undone", async () => {
  const { reviews, update, deps, resolved } = table();
  update({ state: "rejected" });
  const message = await decideRest(deps, reviews.find("s1", "g1")!, "reject");
  assert.match(message ?? "", /nothing of this change can be undone/);
  assert.equal(resolved.length, 0);
});

test("deciding about a question goes through its marks", async () => {
  const { desk, reviews, deps } = table();
  const asked = ask(desk, proposal());
  await decideHunk(deps, reviews.find("s1", "g1")!, "h1", "accept");
  await decideHunk(deps, reviews.find("s1", "g1")!, "h1", null);
  await decideHunk(deps, reviews.find("s1", "g1")!, "h2", "accept");
  await decideRest(deps, reviews.find("s1", "g1")!, "reject", "too loud");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", hunks: ["h2"], comment: "too loud" });
});

test("a text of the person's own that stands is known as such", () => {
  const { reviews, update } = table();
  update({ state: "partly", edited: true });
  assert.deepEqual(reviews.open.map((r) => r.edited), [true]);
});
