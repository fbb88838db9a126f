/** Subagents: where what they do and ask is kept, shown and counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutOff, newConversation, reduce, turnOf, writing } from "../../src/model/reduce.ts";
import { Sessions } from "../../src/model/sessions.ts";
import type { Update } from "../../src/model/sessions.ts";
import { statusLine } from "../../src/model/statusline.ts";
import { isAtWork, shownIn, subagentName, subagentsOf, worksAlone } from "../../src/model/subagents.ts";
import { Desk } from "../../src/model/desk.ts";
import { noticeOf } from "../../src/approvals/notices.ts";
import { hereOf } from "../../src/review/here.ts";
import { groups } from "../../src/review/listing.ts";
import { MarkBook } from "../../src/review/marks.ts";
import { Reviews } from "../../src/review/reviews.ts";
import type { Review } from "../../src/review/reviews.ts";
import { turnTitle } from "../../src/review/turns.ts";
import { rowsOf } from "../../src/webview/rows.ts";
import { apply, newScene, questions, subagentsIn, within } from "../../src/webview/scene.ts";
import type { EventName } from "../../src/model/conversation.ts";
import type { NotificationsToEditor, Origin, Subagent } from "../../src/protocol.gen.ts";
import { Numbered, question, session, usage, wholeTurn } from "./events.ts";

const origin: Origin = { sessionId: "s1", callId: "r1", subagentId: "subagent-1a2b3c4d", title: "Look for the tests" };
const agent: Subagent = { ...origin, sessionId: "s2", model: "script:x", state: "running", since: 5 };

/** Events of the subagent's own session. */
class Child {
  #seq = 0;
  event<M extends EventName>(method: M, body: object): [M, NotificationsToEditor[M]["params"]] {
    return [method, { sessionId: "s2", seq: ++this.#seq, origin, ...body } as unknown as NotificationsToEditor[M]["params"]];
  }
}

function started(): { sessions: Sessions; n: Numbered; c: Child; updates: [string, Update][] } {
  const sessions = new Sessions();
  const n = new Numbered();
  const updates: [string, Update][] = [];
  sessions.adopt(session);
  sessions.show("s1");
  sessions.onUpdate((id, update) => updates.push([id, update]));
  sessions.apply(...n.event("turn/started", { turnId: "t3", prompt: [{ type: "text", text: "Where?" }] }));
  sessions.apply(...n.event("toolCall/started", { callId: "r1", name: "run_subagent", title: "Look", access: "read" }));
  sessions.apply(...n.event("subagent/updated", { subagent: agent }));
  return { sessions, n, c: new Child(), updates };
}

const applied = { changeId: "g1-c", callId: "c1-c", turnId: "t1-c", uri: "file:///w/a.go", kind: "modify", state: "applied", base: "b1", undecided: 1,
  hunks: [{ hunkId: "h1", oldRange: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, newRange: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, oldText: "", newText: "x\n", header: "", state: "applied" }] };

test("a subagent's session begins with the first thing that happens in it, and is told apart from others", () => {
  const { sessions, c, updates } = started();
  sessions.apply(...c.event("turn/started", { turnId: "t1-c", prompt: [{ type: "text", text: "Find them." }] }));
  sessions.apply(...c.event("message/chunk", { text: "I look." }));
  const child = sessions.get("s2");
  assert.deepEqual([child?.session.title, child?.session.cwd, child?.session.origin, child?.items.length], ["Look for the tests", "/w", origin, 2]);
  assert.deepEqual(updates.slice(-2).map(([id]) => id), ["s2", "s2"]);
  assert.deepEqual(sessions.childrenOf("s1"), [child]);
  assert.deepEqual([sessions.isShown("s1"), sessions.isShown("s2"), sessions.isShown("s3")], [true, true, false]);
  assert.equal(shownIn(child!.session), "s1");
  sessions.adopt({ ...session, sessionId: "s3" });
  sessions.show("s3");
  assert.equal(sessions.isShown("s2"), false);
});

test("what happens in a session that nobody started is nobody's", () => {
  const { sessions, c } = started();
  const [method, params] = c.event("message/chunk", { text: "x" });
  sessions.apply(method, { ...params, sessionId: "s9", origin: undefined } as never);
  sessions.apply(method, { ...params, sessionId: "s8", replayed: true });
  assert.deepEqual([sessions.get("s9"), sessions.get("s8")], [undefined, undefined]);
});

test("a question that comes before anything else of its subagent is not lost", () => {
  const { sessions } = started();
  sessions.ask({ ...question("a1-c", "s2"), origin });
  assert.deepEqual(sessions.get("s2")?.approvals.map((q) => q.approvalId), ["a1-c"]);
  assert.deepEqual(sessions.current?.approvals, []);
});

test("a subagent's conversation is loaded beside the one that started it", () => {
  const { sessions, updates } = started();
  sessions.beginLoad("s2");
  const [method, params] = new Child().event("message/chunk", { text: "old", replayed: true });
  sessions.apply(method, params);
  sessions.endLoad({ ...session, sessionId: "s2", origin }, 7);
  assert.deepEqual(updates.at(-1), ["s2", { kind: "replaced" }]);
  assert.equal(sessions.current?.session.sessionId, "s1");
  assert.equal(sessions.childrenOf("s1").length, 1);
});

test("subagents follow what is told of them, and end with the bridge", () => {
  const { sessions, n } = started();
  const conversation = sessions.current!;
  assert.deepEqual(subagentsOf(conversation, "r1"), [agent]);
  assert.deepEqual(subagentsOf(conversation, "r2"), []);
  sessions.apply(...n.event("subagent/updated", { subagent: { ...agent, state: "waiting", background: true, questions: 1 } }));
  assert.equal(Object.values(conversation.subagents).every((s) => isAtWork(s) && worksAlone(s)), true);
  cutOff(conversation);
  const [gone] = Object.values(conversation.subagents);
  assert.deepEqual([gone?.state, gone?.detail, gone?.questions], ["ended", "the bridge ended", undefined]);
  assert.equal(subagentName(agent), "subagent-1a2b3c4d: Look for the tests");
  assert.equal(subagentName({ ...agent, title: "" }), "subagent-1a2b3c4d");
});

test("subagents in the background are counted in the status bar, and their questions name them", () => {
  const { sessions, n } = started();
  sessions.apply(...n.event("subagent/updated", { subagent: { ...agent, background: true } }));
  sessions.apply(...n.event("turn/completed", { turnId: "t3", stopReason: "endTurn", usage }));
  const line = statusLine({ kind: "ready" }, sessions.current, [], sessions.all);
  assert.deepEqual([line.text, line.click], ["$(comment-discussion) Drawbridge $(server-process) 1", "running"]);
  assert.equal(line.tooltip, "1 subagent works in the background: show or stop");
  const asks = statusLine({ kind: "ready" }, sessions.current, [{ ...question("a1-c", "s2"), origin }], sessions.all);
  assert.match(asks.tooltip, /ls \(subagent-1a2b3c4d, since /);
});

test("changes of a subagent stand behind those of the turn that started it", () => {
  const { sessions, n, c } = started();
  const desk = new Desk();
  const reviews = new Reviews({ desk, sessions, marks: new MarkBook(desk) });
  sessions.apply(...c.event("turn/started", { turnId: "t1-c", prompt: [] }));
  sessions.apply(...c.event("change/updated", applied));
  const { origin: _, ...own } = { ...applied, origin: 0 };
  sessions.apply(...n.event("change/updated", { ...own, changeId: "g1", turnId: "t3" } as never));
  sessions.apply(...n.event("change/updated", { ...own, changeId: "g2", turnId: "t4" } as never));
  assert.deepEqual(groups(reviews.all, hereOf(sessions)).map((g) => g.id), ["s1/t4", "s1/t3", "s2/t1-c"]);
  assert.equal(turnTitle(sessions.get("s2"), "t1-c"), "Look for the tests");
  assert.equal(reviews.find("s2", "g1-c")?.phase, "applied");
});

test("the turns of a subagent stand by their numbers, whatever its session is called", () => {
  const here = { sessionId: "s1", startedIn: (id: string) => (id === "a0" ? "t3" : undefined) };
  const changed = (sessionId: string, turnId: string): Review => ({ sessionId, turnId, changeId: `g1${turnId.slice(turnId.indexOf("-"))}` }) as Review;
  const all = [changed("a0", "t9-1a2b3c44"), changed("a0", "t12-1a2b3c44"), changed("s1", "t3"), changed("s7", "t50")];
  assert.deepEqual(groups(all, here).map((g) => g.id), ["s7/t50", "s1/t3", "a0/t12-1a2b3c44", "a0/t9-1a2b3c44"]);
});

test("a message about a question of a subagent names it", () => {
  assert.equal(noticeOf([{ ...question("a1-c", "s2"), origin }]).text, "Drawbridge asks: ls (subagent-1a2b3c4d)");
});

test("the pictures that a call gave to the model are kept with it", () => {
  const { sessions, n } = started();
  const images = [{ mimeType: "image/png", data: "AAAA" }];
  sessions.apply(...n.event("toolCall/completed", { callId: "r1", status: "completed", text: "image/png, 3 B", durationMs: 1, images }));
  const call = sessions.current?.items.find((item) => item.kind === "call");
  assert.deepEqual(call?.kind === "call" && call.images, images);
});

test("a turn can be rewound when only its subagent wrote", () => {
  const { sessions, c } = started();
  sessions.apply(...c.event("change/updated", applied));
  const conversation = sessions.current!;
  assert.deepEqual([...writing(conversation)], []);
  assert.deepEqual([...writing(conversation, sessions.childrenOf("s1"))], ["t3"]);
  assert.equal(turnOf(conversation, "nothing"), "");
});

test("the view holds the same: questions in the order of the page, each in its own scene", () => {
  const scene = newScene();
  const n = new Numbered();
  const conversation = newConversation(session);
  for (const sent of wholeTurn(n)) reduce(conversation, ...sent);
  apply(scene, {
    kind: "snapshot", conversation, children: [], connection: { kind: "ready" }, marks: {}, modes: [], presets: [], trusted: true, trusts: [], draft: "", mentions: [],
  });
  const tell = (method: EventName, params: unknown): void => apply(scene, { kind: "event", method, params });
  tell(...n.event("turn/started", { turnId: "t2", prompt: [] }));
  tell(...n.event("toolCall/started", { callId: "r1", name: "run_subagent", title: "Look", access: "read" }));
  tell(...n.event("toolCall/started", { callId: "c9", name: "x", title: "After it", access: "execute" }));
  const c = new Child();
  tell(...c.event("toolCall/started", { callId: "c1-c", name: "x", title: "In it", access: "execute" }));
  apply(scene, { kind: "asked", approval: { ...question("a2"), callId: "c9" } });
  apply(scene, { kind: "asked", approval: { ...question("a1-c", "s2"), callId: "c1-c", origin } });
  assert.deepEqual(questions(scene).map((q) => q.approvalId), ["a1-c", "a2"]);
  const inner = within(scene, "s2")!;
  assert.equal(inner.conversation?.session.sessionId, "s2");
  assert.deepEqual(questions(inner).map((q) => q.approvalId), ["a1-c", "a2"]);
  assert.deepEqual(subagentsIn(scene, "r1").map(({ sessionId, state }) => [sessionId, state]), [["s2", "idle"]]);
  assert.deepEqual(subagentsIn(inner, "r1"), [], "a subagent has none of its own");
  const theirs = scene.children["s2"]!.approvals;
  assert.equal(rowsOf(scene.conversation!, theirs).some(({ kind }) => kind === "question"), false);
  assert.equal(rowsOf(scene.conversation!, [{ ...theirs[0]!, origin: { ...origin, callId: "gone" } }]).at(-1)?.kind, "question");
  apply(scene, { kind: "withdrawn", sessionId: "s2", approvalId: "a1-c" });
  assert.deepEqual(questions(scene).map((q) => q.approvalId), ["a2"]);
});
