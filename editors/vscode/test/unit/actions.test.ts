import assert from "node:assert/strict";
import { test } from "node:test";
import { actions, commands } from "../../src/review/actions.ts";
import { isAboveDraft, readRef, readReviewAddress, draftAddress, reviewAddress } from "../../src/review/address.ts";
import { decode, encode, needsMark, splitMark } from "../../src/review/bytes.ts";
import { endingOf } from "../../src/review/endings.ts";
import type { Review } from "../../src/review/reviews.ts";
import { counts, diffTitle, endWords, headline, nameOf, staleWords } from "../../src/review/words.ts";
import type { EventName } from "../../src/model/conversation.ts";
import type { NotificationsToEditor } from "../../src/protocol.gen.ts";
import { changed, hunk, proposal, three } from "./proposals.ts";

function review(over: Partial<Review> = {}): Review {
  return {
    sessionId: "s1", changeId: "g1", turnId: "t1", uri: "file:///w/greet.go", kind: "modify", state: "proposed", phase: "waiting", hunks: three,
    verdicts: {}, base: "b0", gone: false, ...over,
  };
}

/** "line title command" of each action, without icons. */
function shown(r: Review, side: "old" | "new" = "new"): string[] {
  return actions(r, side).map((a) => `${a.line} ${a.title.replace(/\$\([^)]*\)\s*/g, "")}${a.command ? ` ${a.command.replace(/.*\./, "")}` : ""}`);
}

test("each hunk of a proposal can be decided above it, the file at the top", () => {
  assert.deepEqual(shown(review()), [
    "0 Accept file acceptFile", "0 Reject file rejectFile", "0 Edit… edit", "0 Reject because… rejectBecause",
    "2 Accept acceptHunk", "2 Reject rejectHunk", "6 Accept acceptHunk", "6 Reject rejectHunk", "10 Accept acceptHunk", "10 Reject rejectHunk",
  ]);
});

test("a decided hunk says so and can be decided again", () => {
  const all = actions(review({ verdicts: { h1: "accept", h2: "reject" } }), "new");
  assert.deepEqual(shown(review({ verdicts: { h1: "accept", h2: "reject" } })).slice(0, 3), ["0 1 of 3 left", "0 Accept rest acceptFile", "0 Reject rest rejectFile"]);
  const again = all.filter((a) => a.target?.again);
  assert.deepEqual(again.map((a) => [a.line, a.command, a.target?.hunkId]), [[2, commands.acceptHunk, "h1"], [6, commands.rejectHunk, "h2"]]);
});

test("every action names its session and change", () => {
  for (const action of actions(review({ sessionId: "s7", changeId: "g7" }), "new")) {
    if (action.command) assert.deepEqual([action.target?.sessionId, action.target?.changeId], ["s7", "g7"]);
  }
});

test("every action about a proposal names the question it was shown for", () => {
  const question = proposal({ approvalId: "a7" });
  const asked = actions(review({ question }), "new").filter((a) => a.command);
  assert.ok(asked.length > 0 && asked.every((a) => a.target?.approvalId === "a7"));
  assert.ok(actions(review({ phase: "applied", state: "applied" }), "new").every((a) => a.target?.approvalId === undefined));
});

test("the folders of a draft are told from the draft itself", () => {
  const draft = draftAddress({ sessionId: "s1", changeId: "g1" }, "/w/a b/x&y=1.go", 1);
  assert.equal(isAboveDraft(draft), false);
  for (const path of ["/w/a b", "/w", "/"]) assert.equal(isAboveDraft({ ...draft, path }), true, path);
});

test("lines that only go away are decided on the old side too, others are not", () => {
  const hunks = [hunk("h1", { old: 2, new: 2 }, "gone\n", ""), hunk("h2", { old: 6, new: 5 }, "a\n", "b\n")];
  assert.deepEqual(shown(review({ hunks }), "old"), ["2 Accept acceptHunk", "2 Reject rejectHunk"]);
  assert.equal(shown(review({ hunks })).filter((a) => a.startsWith("2 ")).length, 2);
});

test("a file that is made or removed is decided as a whole", () => {
  const hunks = [hunk("h1", { old: 0, new: 0 }, "", "a\nb\n")];
  assert.equal(shown(review({ kind: "create", hunks })).some((a) => a.endsWith("Hunk")), false);
  assert.equal(shown(review({ kind: "modify", hunks })).some((a) => a.endsWith("acceptHunk")), true);
});

test("a deletion has no text to edit", () => {
  assert.equal(shown(review({ kind: "delete" })).some((a) => a.includes("Edit")), false);
});

test("what was applied is kept or undone", () => {
  const applied = review({ state: "applied", phase: "applied", verdicts: { h1: "accept" }, hunks: three.slice(0, 2) });
  assert.deepEqual(shown(applied), [
    "0 1 of 2 to review", "0 Keep rest acceptFile", "0 Undo rest undoFile",
    "2 Kept", "2 Undo rejectHunk", "6 Keep acceptHunk", "6 Undo rejectHunk",
  ]);
});

test("of what is settled only what stands can be undone", () => {
  const kept = review({ state: "applied", phase: "settled", verdicts: { h1: "accept", h2: "accept", h3: "accept" } });
  assert.deepEqual(shown(kept).filter((a) => a.includes("Undo")).length, 4);
  assert.equal(shown(kept).some((a) => a.includes("Accept")), false);
  assert.deepEqual(shown(review({ state: "rejected", phase: "settled", why: "not now" })), ["0 Rejected: not now"]);
  assert.deepEqual(shown(review({ state: "applied", phase: "settled", gone: true })), ["0 Applied; its texts are not kept any more"]);
});

test("titles and counts", () => {
  assert.equal(diffTitle(review()), "greet.go (proposed, 3 hunks)");
  assert.equal(diffTitle(review({ kind: "create", uri: "file:///w/a%20b.md" })), "a b.md (proposed, new file)");
  assert.equal(diffTitle(review({ state: "partly", phase: "applied", hunks: three.slice(0, 1) })), "greet.go (partly applied, 1 hunk)");
  const own = { state: "partly", edited: true } as const;
  assert.equal(diffTitle(review({ ...own, phase: "settled", hunks: three.slice(0, 1) })), "greet.go (applied, edited by you, 1 hunk)");
  assert.equal(headline(review({ ...own, phase: "applied" })), "Applied, edited by you");
  assert.equal(headline(review({ state: "reverted", edited: true, phase: "settled" })), "Reverted", "nothing of it stands");
  assert.equal(nameOf("file:///w/100%.txt"), "100%.txt");
  assert.equal(counts(review()), "+3 −3, 3 hunks");
  assert.equal(counts(review({ verdicts: { h1: "accept" } })), "+3 −3, 2 of 3 hunks left");
  assert.equal(counts(review({ state: "reverted", phase: "settled", verdicts: { h1: "reject" }, hunks: three.slice(0, 1) })), "+1 −1", "nothing is left to count");
  assert.equal(counts(review({ kind: "delete", hunks: [hunk("h1", { old: 0, new: 0 }, "a\nb\n", "")] })), "+0 −2, deletes the file");
  assert.equal(headline(review({ state: "stale", phase: "settled" })), "Stale");
});

test("what a command did is said to be its, and what of it was not kept", () => {
  const byCommand = { state: "applied", byCommand: true } as const;
  assert.equal(counts(review({ ...byCommand, phase: "applied" })), "by a command, +3 −3, 3 hunks");
  const gone = review({ ...byCommand, phase: "settled", kind: "delete", hunks: [], gone: true });
  assert.equal(counts(gone), "by a command, deletes the file");
  assert.equal(headline(gone), "Applied; the former bytes were not kept");
});

test("a rename names both, and its hunks are decided one by one", () => {
  const renamed = review({ kind: "rename", from: "file:///w/old%20name.go", state: "applied", phase: "applied", hunks: three.slice(0, 1) });
  assert.equal(diffTitle(renamed), "old name.go → greet.go (applied, renames the file, 1 hunk)");
  assert.equal(counts({ ...renamed, hunks: [] }), "+0 −0, renames the file");
  assert.equal(shown(renamed).some((a) => a.endsWith("rejectHunk")), true);
});

test("hunks that a decision did not come through for are named by their lines", () => {
  assert.equal(staleWords(review(), { hunks: new Set() }, "reject"), undefined);
  assert.equal(staleWords(review(), { hunks: new Set(["h2"]) }, "reject"),
    "The hunk at line 7 of greet.go could not be undone: its lines changed since. Edit the file to take it back.");
  assert.equal(staleWords(review(), { hunks: new Set(["h1", "h3"]) }, "accept"), "2 hunks at line 3, line 11 of greet.go could not be kept: their lines changed since.");
  const why = "h1: line 3 was changed since, by change g3\nh3: line 11 was changed since";
  assert.equal(staleWords(review(), { hunks: new Set(["h1", "h3"]), why }, "reject"),
    "2 hunks at line 3, line 11 of greet.go could not be undone: line 3 was changed since, by change g3; line 11 was changed since. Edit the file to take them back.");
  const many = Array.from({ length: 7 }, (_, i) => hunk(`h${i}`, { old: i * 4, new: i * 4 }, "a\n", "b\nc\n"));
  assert.match(staleWords(review({ hunks: many }), { hunks: new Set(many.map((h) => h.hunkId)) }, "reject") ?? "", /^7 hunks at lines 1–2, .* and 2 more of/);
});

test("addresses lead back to their change", () => {
  const ref = { sessionId: "s20260301-9k2f", changeId: "g1" };
  assert.deepEqual(readReviewAddress(reviewAddress(ref, "/w/greet.go", "old")), { ...ref, side: "old" });
  assert.equal(reviewAddress(ref, "/w/greet.go", "new").path, "/w/greet.go", "so that the editor finds its language");
  assert.equal(reviewAddress(ref, "/w/greet.go", "patch").path, "/w/greet.go.diff");
  assert.deepEqual(readRef(draftAddress(ref, "/w/greet.go", 1)), ref);
  assert.notDeepEqual(draftAddress(ref, "/w/greet.go", 1), draftAddress(ref, "/w/greet.go", 2));
  const odd = { sessionId: "s&1=x", changeId: "g 1" };
  assert.deepEqual(readRef(draftAddress(odd, "/a", 1)), odd);
});

test("other documents are no part of a review", () => {
  assert.equal(readReviewAddress({ scheme: "file", path: "/w/greet.go", query: "session=s1&change=g1&side=old" }), undefined);
  assert.equal(readReviewAddress({ scheme: "drawbridge-review", path: "/w/greet.go", query: "session=s1" }), undefined);
  assert.equal(readReviewAddress({ scheme: "drawbridge-review", path: "/w/x", query: "session=s1&change=g1&side=up" }), undefined);
});

test("texts are read as UTF-8 whatever encoding files have, and keep the mark they have", () => {
  assert.deepEqual([...encode("é", true)], [0xef, 0xbb, 0xbf, 0xc3, 0xa9]);
  assert.deepEqual([...encode("é", false)], [0xc3, 0xa9]);
  for (const marked of [true, false]) {
    assert.deepEqual([...encode("\uFEFFa", marked)], [0xef, 0xbb, 0xbf, 0x61]);
    assert.equal(decode(encode("é\r\n", marked)), "é\r\n");
  }
  const plain = { encoding: "utf8", byLanguage: false, guesses: false };
  assert.equal(needsMark(plain), false);
  assert.deepEqual([{ encoding: "windows1252" }, { byLanguage: true }, { guesses: true }].map((s) => needsMark({ ...plain, ...s })), [true, true, true]);
  assert.deepEqual(splitMark("\uFEFFa"), { mark: "\uFEFF", text: "a" });
  assert.deepEqual(splitMark("a"), { mark: "", text: "a" });
});

function ends<M extends EventName>(method: M, params: Partial<NotificationsToEditor[M]["params"]>): string | undefined {
  const whole = { sessionId: "s1", seq: 1, ...params } as NotificationsToEditor[EventName]["params"];
  return endingOf(proposal(), method, whole)?.kind;
}

test("an answer is no end; what became of the change is", () => {
  const resolved = { approvalId: "a1", callId: "c1" };
  assert.equal(ends("approval/resolved", { ...resolved, outcome: "allowed", by: "person" }), undefined);
  assert.equal(ends("approval/resolved", { ...resolved, outcome: "denied", by: "person" }), undefined);
  assert.equal(ends("change/updated", changed({ state: "applied" })), "applied");
  assert.equal(ends("change/updated", changed({ state: "partly" })), "applied");
  assert.equal(ends("change/updated", changed({ state: "rejected" })), "rejected");
  assert.equal(ends("change/updated", changed({ state: "stale" })), "stale");
  assert.equal(ends("change/updated", changed({ state: "proposed" })), undefined);
});

test("what nobody here decided is told with its cause", () => {
  const resolved = { approvalId: "a1", callId: "c1", outcome: "withdrawn" } as const;
  assert.equal(ends("approval/resolved", { ...resolved, by: "superseded" }), "superseded");
  assert.equal(ends("approval/resolved", { ...resolved, by: "cancel" }), "withdrawn");
  assert.equal(ends("approval/resolved", { ...resolved, outcome: "denied", by: "timeout" }), "withdrawn");
  assert.equal(endWords("file:///w/greet.go", { kind: "withdrawn", cause: "the turn was stopped" }), "The proposal for greet.go no longer stands: the turn was stopped.");
  assert.equal(endWords("file:///w/greet.go", { kind: "applied" }), undefined);
});

test("the end of another question, change or session ends nothing here", () => {
  assert.equal(ends("approval/resolved", { approvalId: "a2", callId: "c2", outcome: "withdrawn", by: "cancel" }), undefined);
  assert.equal(ends("change/updated", changed({ changeId: "g2" })), undefined);
  assert.equal(ends("change/updated", changed({ sessionId: "s2" })), undefined);
  assert.equal(ends("change/updated", changed({ replayed: true })), undefined);
  assert.equal(ends("toolCall/completed", { callId: "c2" }), undefined);
  assert.equal(ends("toolCall/completed", { callId: "c1" }), "withdrawn");
});
