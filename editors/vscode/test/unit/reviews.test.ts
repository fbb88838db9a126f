import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "../../src/model/desk.ts";
import { Sessions } from "../../src/model/sessions.ts";
import { decideHunk, decideRest } from "../../src/review/deciding.ts";
import { groups, groupWords, neighbour } from "../../src/review/listing.ts";
import { MarkBook } from "../../src/review/marks.ts";
import { Reviews, undecided } from "../../src/review/reviews.ts";
import { settleAll } from "../../src/review/settling.ts";
import type { SettleDeps } from "../../src/review/settling.ts";
import { turnTitle } from "../../src/review/turns.ts";
import { counts } from "../../src/review/words.ts";
import type { ChangeResolveParams, ChangeResolveResult, ChangeSettled, ChangeUpdated, HunkState } from "../../src/protocol.gen.ts";
import { ask, changed, proposal, session, settled, three } from "./proposals.ts";

/** What was asked of the bridge, in order. */
interface Sent {
  readonly method: string;
  readonly params: unknown;
}

function table() {
  const desk = new Desk();
  const sessions = new Sessions();
  const marks = new MarkBook(desk);
  sessions.adopt(session());
  sessions.adopt(session("s2"));
  sessions.show("s1");
  const reviews = new Reviews({ desk, sessions, marks });
  let seq = 0;
  const update = (over: Partial<ChangeUpdated> = {}) => sessions.apply("change/updated", changed({ ...over, seq: ++seq }));
  const sent: Sent[] = [];
  const listening = new Set<(method: string, params: unknown) => void>();
  let answer: (method: string, params: unknown) => unknown = () => ({ state: "partly", applied: [], rejected: [], stale: [] });
  const link = {
    request: async (method: string, params: unknown) => {
      sent.push({ method, params });
      return answer(method, params);
    },
    onEvent: (f: (method: string, params: unknown) => void) => {
      listening.add(f);
      return { dispose: () => listening.delete(f) };
    },
  } as unknown as SettleDeps["link"];
  const deps: SettleDeps = { link, marks, reviews };
  const resolved = (): ChangeResolveParams[] => sent.filter((s) => s.method === "change/resolve").map((s) => s.params as ChangeResolveParams);
  const hear = (method: string, params: unknown) => listening.forEach((f) => f(method, params));
  return {
    desk, sessions, marks, reviews, update, deps, sent, resolved, hear, listening,
    answerWith: (f: (method: string, params: unknown) => unknown) => (answer = f),
  };
}

/** Hunks in these states. */
function states(...all: HunkState[]) {
  return { hunks: three.slice(0, all.length).map((h, i) => ({ ...h, state: all[i] as HunkState })), undecided: all.filter((s) => s === "applied").length };
}

test("what is asked about waits, with the marks it has", () => {
  const { desk, marks, reviews } = table();
  ask(desk, proposal());
  marks.mark("g1", "h2", "reject");
  assert.deepEqual(reviews.open.map((r) => [r.changeId, r.phase, undecided(r).map((h) => h.hunkId)]), [["g1", "waiting", ["h1", "h3"]]]);
});

test("what was applied unasked is to be reviewed until all of it was kept", () => {
  const { reviews, update } = table();
  update(states("kept", "applied", "kept"));
  assert.deepEqual(reviews.open.map((r) => [r.phase, undecided(r).map((h) => h.hunkId)]), [["applied", ["h2"]]]);
  update(states("kept", "kept", "kept"));
  assert.equal(reviews.open.length, 0);
  assert.deepEqual(reviews.settled.map((r) => r.changeId), ["g1"]);
});

test("what is kept is the bridge's to know: another window sees the same", () => {
  const first = table();
  first.update(states("kept", "applied"));
  const second = table();
  second.update(states("kept", "applied"));
  assert.deepEqual(second.reviews.open, first.reviews.open);
  assert.deepEqual(second.reviews.open[0]?.verdicts, { h1: "accept" });
});

test("hunks that were refused are not shown of a change that was applied in part", () => {
  const { reviews, update } = table();
  update({ state: "partly", ...states("applied", "rejected", "applied") });
  assert.deepEqual(reviews.open[0]?.hunks.map((h) => h.hunkId), ["h1", "h3"]);
});

test("what was taken back counts as much as had stood of it", () => {
  const { reviews, update } = table();
  update({ state: "partly", ...states("applied", "rejected", "kept") });
  assert.equal(counts(reviews.all[0]!), "+2 −2, 1 of 2 hunks left");
  update({ state: "partly", ...states("rejected", "rejected", "kept") });
  update({ state: "reverted", ...states("rejected", "rejected", "rejected") });
  assert.equal(counts(reviews.all[0]!), "+2 −2, 2 hunks", "also what was taken back before");
  assert.equal(counts(reviews.find("s1", "g1")!), "+2 −2, 2 hunks");
  update({ changeId: "g2", state: "reverted", ...states("rejected", "rejected", "rejected") });
  assert.equal(counts(reviews.all[1]!), "+3 −3, 3 hunks", "of what was never seen to stand all counts");
});

test("changes that do not stand, or whose text is gone, ask nothing of anyone", () => {
  const { reviews, update } = table();
  update({ changeId: "g1", state: "rejected", undecided: 0 });
  update({ changeId: "g2", state: "reverted", undecided: 0 });
  update({ changeId: "g3", state: "stale", why: "the file changed", undecided: 0 });
  update({ changeId: "g4", state: "applied", gone: true, hunks: [], undecided: 1 });
  assert.equal(reviews.open.length, 0);
  assert.deepEqual(reviews.settled.map((r) => r.changeId), ["g4", "g3", "g2", "g1"]);
});

test("an empty file that was made is reviewed although it has no hunk", async () => {
  const { reviews, update, deps, resolved } = table();
  update({ kind: "create", hunks: [], undecided: 1 });
  assert.equal(reviews.open[0]?.phase, "applied");
  await decideRest(deps, reviews.open[0]!, "accept");
  assert.deepEqual(resolved().map((r) => r.accept), ["all"]);
  update({ kind: "create", hunks: [], undecided: 0 });
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
  const { reviews, update } = table();
  update(states("kept", "kept", "kept"));
  let heard = 0;
  reviews.onChange(() => heard++);
  update({ state: "reverted", base: "b2", undecided: 0 });
  assert.equal(heard, 1);
  assert.deepEqual(reviews.settled.map((r) => r.state), ["reverted"]);
});

test("a change that is asked about anew waits, whatever became of it before", () => {
  const { desk, reviews, update } = table();
  update({ state: "stale", undecided: 0 });
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

test("the list has a change set for each turn, the newest first, with what is settled too", () => {
  const { desk, reviews, update } = table();
  assert.deepEqual(groups(reviews.all, { sessionId: "s1" }), []);
  update({ changeId: "g2", turnId: "t2" });
  update({ changeId: "g1", turnId: "t1", ...states("kept", "kept") });
  update({ changeId: "g3", turnId: "t2", ...states("kept", "applied") });
  update({ changeId: "g10", turnId: "t10", state: "reverted", undecided: 0 });
  ask(desk, proposal({ changeId: "g4", turnId: "t2" }));
  const shown = groups(reviews.all, { sessionId: "s1" }).map((g) => [g.turnId, g.reviews.map((r) => r.changeId).join(" "), groupWords(g)]);
  assert.deepEqual(shown, [["t10", "g10", "settled"], ["t2", "g2 g3 g4", "1 waits, 4 hunks to review"], ["t1", "g1", "settled"]]);
});

test("what waits in another session stands before the session that is shown", () => {
  const { desk, reviews, update } = table();
  update({ turnId: "t7" });
  ask(desk, proposal({ sessionId: "s2", changeId: "g9" }));
  assert.deepEqual(groups(reviews.all, { sessionId: "s1" }).map((g) => g.id), ["s2/t1", "s1/t7"]);
});

test("after the last file comes the first, and a lone file has no neighbour", () => {
  const { desk, reviews, update } = table();
  update({ changeId: "g1", turnId: "t9" });
  const at = (changeId: string) => ({ sessionId: "s1", changeId });
  const next = (changeId: string, way: "down" | "up") => neighbour(reviews.all, at(changeId), way, { sessionId: "s1" })?.changeId;
  assert.equal(next("g1", "down"), undefined);
  update({ changeId: "g2", turnId: "t9", ...states("kept") });
  assert.equal(next("g1", "down"), undefined, "what is settled is passed over");
  assert.equal(next("g2", "down"), "g1", "from it, too");
  ask(desk, proposal({ approvalId: "a3", changeId: "g3", turnId: "t9" }));
  ask(desk, proposal({ approvalId: "a4", changeId: "g4", turnId: "t9" }));
  assert.deepEqual(["g1", "g3", "g4", "gone"].map((id) => next(id, "down")), ["g3", "g4", "g1", "g1"]);
  assert.deepEqual(["g1", "g3", "g4"].map((id) => next(id, "up")), ["g4", "g1", "g3"]);
});

test("a turn is called by what the person said first", () => {
  const { sessions } = table();
  const prompt = (turnId: string, seq: number, text: string) =>
    sessions.apply("turn/started", { sessionId: "s1", seq, turnId, prompt: [{ type: "text", text }] });
  prompt("t1", 900, "\n Mend the greeting\nand nothing else");
  prompt("t2", 901, "x".repeat(200));
  assert.equal(turnTitle(sessions.get("s1"), "t1"), "Mend the greeting");
  assert.equal(turnTitle(sessions.get("s1"), "t2").length, 60);
  assert.equal(turnTitle(sessions.get("s1"), "t3"), "A turn of its own");
  assert.equal(turnTitle(undefined, "t1"), "A turn of its own");
});

test("to undo a hunk asks the bridge, with the newest base", async () => {
  const { reviews, update, deps, resolved } = table();
  update({ base: "b1" });
  const seen = reviews.find("s1", "g1")!;
  update({ base: "b2" });
  await decideHunk(deps, seen, "h2", "reject");
  assert.deepEqual(resolved(), [{ sessionId: "s1", changeId: "g1", base: "b2", reject: ["h2"] }]);
});

test("two decisions about a change go one after the other, each by what the one before left", async () => {
  const { reviews, update, deps, resolved, answerWith } = table();
  update({ base: "b1" });
  answerWith(async () => {
    await settled();
    update({ base: "b2", ...states("kept", "applied", "applied") });
    return { state: "applied", applied: [], rejected: [], stale: [] } satisfies ChangeResolveResult;
  });
  const seen = reviews.find("s1", "g1")!;
  await Promise.all([decideHunk(deps, seen, "h1", "accept"), decideHunk(deps, seen, "h2", "reject")]);
  assert.deepEqual(resolved().map((r) => [r.base, r.accept, r.reject]), [["b1", ["h1"], undefined], ["b2", undefined, ["h2"]]]);
});

test("a decision that failed does not hold up the next", async () => {
  const { reviews, update, deps, resolved, answerWith } = table();
  update();
  answerWith(() => {
    throw new Error("no");
  });
  await assert.rejects(decideHunk(deps, reviews.find("s1", "g1")!, "h1", "accept"), /no/);
  answerWith(() => ({ state: "applied", applied: [], rejected: [], stale: [] }));
  await decideHunk(deps, reviews.find("s1", "g1")!, "h2", "accept");
  assert.equal(resolved().length, 2);
});

test("to undo or to keep the rest leaves what was kept", async () => {
  const { reviews, update, deps, resolved } = table();
  update(states("applied", "applied", "applied"));
  await decideRest(deps, reviews.find("s1", "g1")!, "reject");
  update(states("kept", "applied", "applied"));
  await decideRest(deps, reviews.find("s1", "g1")!, "reject", "too loud");
  await decideRest(deps, reviews.find("s1", "g1")!, "accept");
  assert.deepEqual(resolved().map((r) => r.reject ?? r.accept), ["all", ["h2", "h3"], ["h2", "h3"]]);
  assert.deepEqual(resolved().map((r) => r.comment), [undefined, "too loud", undefined]);
});

test("a kept hunk can still be undone", async () => {
  const { reviews, update, deps, resolved } = table();
  update(states("kept", "kept", "kept"));
  await decideHunk(deps, reviews.find("s1", "g1")!, "h3", "reject");
  assert.deepEqual(resolved().map((r) => r.reject), [["h3"]]);
});

test("what could not be undone is told", async () => {
  const { reviews, update, deps, answerWith } = table();
  update();
  answerWith(() => ({ state: "applied", applied: [], rejected: [], stale: ["h2"] }));
  const message = await decideHunk(deps, reviews.find("s1", "g1")!, "h2", "reject");
  assert.match(message ?? "", /line 7 of greet\.go could not be undone: its lines changed since/);
});

test("a change that does not stand is not sent to the bridge to be undone", async () => {
  const { reviews, update, deps, sent } = table();
  update({ state: "rejected", undecided: 0 });
  const message = await decideRest(deps, reviews.find("s1", "g1")!, "reject");
  assert.match(message ?? "", /nothing of this change can be undone/);
  assert.equal(sent.length, 0);
});

test("all of a turn is settled by one request, and what did not come through is told", async () => {
  const { reviews, update, deps, sent, answerWith } = table();
  update({ changeId: "g1" });
  update({ changeId: "g2", uri: "file:///w/notes.md" });
  update({ changeId: "g3", turnId: "t2" });
  const done = { state: "reverted", applied: [], rejected: [], stale: [] } as const;
  answerWith((): { changes: ChangeSettled[] } => ({ changes: [
    { changeId: "g2", ...done, error: "it is read-only" }, { changeId: "g1", ...done, stale: ["h1", "h2"] },
  ] }));
  const message = await settleAll(deps, { sessionId: "s1", turnId: "t1" }, "reject");
  assert.deepEqual(sent, [{ method: "change/resolveAll", params: { sessionId: "s1", turnId: "t1", accept: false } }]);
  assert.equal(message, "2 of 2 changes could not be settled whole. notes.md: it is read-only; greet.go: the lines of 2 hunks changed since.");
  answerWith(() => ({ changes: [{ changeId: "g3", ...done }] }));
  assert.equal(await settleAll(deps, { sessionId: "s1" }, "accept"), undefined);
  assert.equal(reviews.open.length, 3);
});

test("where nothing is open nothing is asked of the bridge", async () => {
  const { update, deps, sent } = table();
  update(states("kept"));
  assert.equal(await settleAll(deps, { sessionId: "s1" }, "reject"), undefined);
  assert.equal(sent.length, 0);
});

test("what was marked hunk by hunk is answered so before all the rest is settled", async () => {
  const { desk, marks, update, deps, sent, hear, listening, answerWith } = table();
  update({ changeId: "g1" });
  const asked = ask(desk, proposal({ changeId: "g2" }));
  marks.mark("g2", "h2", "reject");
  answerWith(() => ({ changes: [] }));
  const done = settleAll(deps, { sessionId: "s1" }, "accept");
  await settled();
  assert.deepEqual(asked.answer, { outcome: "selected", optionId: "yes", hunks: ["h1", "h3"] });
  assert.equal(sent.length, 0, "it must not overtake the answer");
  hear("approval/resolved", { sessionId: "s2", approvalId: "a1" });
  await settled();
  assert.equal(sent.length, 0);
  hear("approval/resolved", { sessionId: "s1", approvalId: "a1" });
  await done;
  assert.deepEqual(sent.map((s) => s.method), ["change/resolveAll"]);
  assert.equal(listening.size, 0);
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
  update({ state: "partly", edited: true, ...states("applied") });
  assert.deepEqual(reviews.open.map((r) => r.edited), [true]);
});
