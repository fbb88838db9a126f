import assert from "node:assert/strict";
import { test } from "node:test";
import type { Link } from "../../src/bridge/link.ts";
import { hear } from "../../src/conversation/hear.ts";
import type { Editor, HearDeps } from "../../src/conversation/hear.ts";
import type { FromView, ToView } from "../../src/conversation/messages.ts";
import { Desk } from "../../src/model/desk.ts";
import { Sessions } from "../../src/model/sessions.ts";
import { MarkBook } from "../../src/review/marks.ts";
import type { Work } from "../../src/work.ts";
import { question, session } from "./events.ts";
import { proposal } from "./proposals.ts";

function stage(work: Partial<Work> = {}): { deps: HearDeps; told: ToView[]; troubles: string[]; done: string[]; desk: Desk; say: (m: FromView) => Promise<void> } {
  const told: ToView[] = [];
  const troubles: string[] = [];
  const done: string[] = [];
  const desk = new Desk();
  const sessions = new Sessions();
  sessions.adopt(session);
  sessions.show(session.sessionId);
  const editor: Editor = {
    tell: (m) => void told.push(m),
    trouble: (text) => void troubles.push(text),
    toBlocks: (text) => [{ type: "text", text }],
    findFiles: async (query) => [{ uri: "file:///w/a", name: "a", path: query }],
    command: async (name, ...args) => void done.push([name, ...args].join(" ")),
    openChange: async ({ sessionId, changeId }) => void done.push(`open ${sessionId} ${changeId}`),
    editProposal: async ({ sessionId, changeId }) => void done.push(`edit ${sessionId} ${changeId}`),
    resolve: async ({ sessionId, changeId }, hunks, verdict) => void done.push(`${verdict} ${sessionId} ${changeId} ${String(hunks)}`),
    rewind: async (turnId) => void done.push(`rewind ${turnId}`),
    showTerminal: async ({ sessionId, terminalId }) => void done.push(`terminal ${sessionId} ${terminalId}`),
    typeInto: async ({ sessionId, terminalId }) => void done.push(`type ${sessionId} ${terminalId}`),
    stopCommand: async ({ sessionId, terminalId }) => void done.push(`stop ${sessionId} ${terminalId}`),
    openPicture: async ({ sessionId, callId, index }) => void done.push(`picture ${sessionId} ${callId} ${index}`),
    open: () => Promise.reject(new Error("no such file")),
    trust: async ({ workspace, digest }, trust) => void done.push(`trust ${workspace} ${digest} ${trust}`),
    help: async (what) => void done.push(`help ${what}`),
  };
  const deps: HearDeps = { link: {} as Link, sessions, desk, marks: new MarkBook(desk), work: work as Work, editor };
  return { deps, told, troubles, done, desk, say: (m) => hear(m, deps) };
}

test("an answer settles the question that was clicked", async () => {
  const { desk, say } = stage();
  const first = desk.ask(question("a1"), () => undefined);
  const second = desk.ask(question("a2"), () => undefined);
  await say({ kind: "answer", sessionId: "s1", approvalId: "a2", answer: { outcome: "selected", optionId: "deny", comment: "why" } });
  assert.deepEqual(await second, { outcome: "selected", optionId: "deny", comment: "why" });
  assert.deepEqual(desk.pending.map((q) => q.approvalId), ["a1"]);
  desk.clear();
  await first;
});

test("an answer that comes too late is said to be so", async () => {
  const { say, troubles } = stage();
  await say({ kind: "answer", sessionId: "s1", approvalId: "a1", answer: { outcome: "selected", optionId: "allow" } });
  assert.equal(troubles.length, 1);
});

test("what an answer leaves behind is known before the answer is sent, and of a late one nothing is", async () => {
  const { desk, deps, say } = stage();
  const lasting = { optionId: "w", kind: "allow", scope: "workspace", label: "Allow here", rule: "ls", editable: true } as const;
  const first = desk.ask({ ...question("a1"), options: [lasting] }, () => undefined);
  const kept = (): unknown => deps.sessions.current?.remembering;
  const heard = first.then(kept);
  const answer = { outcome: "selected", optionId: "w", rule: "ls -l" } as const;
  await say({ kind: "answer", sessionId: "s1", approvalId: "a1", answer });
  assert.deepEqual(await heard, { a1: { scope: "workspace", rule: "ls -l" } });
  await say({ kind: "answer", sessionId: "s1", approvalId: "a2", answer });
  assert.deepEqual(kept(), { a1: { scope: "workspace", rule: "ls -l" } });
});

test("a word about the workspace's settings goes on as it was given", async () => {
  const { say, done } = stage();
  await say({ kind: "trust", workspace: "/w", digest: "d1", trust: "no" });
  assert.deepEqual(done, ["trust /w d1 no"]);
});

test("a mark on a question that is gone is dropped, and that is said", async () => {
  const { desk, say, troubles } = stage();
  const asked = desk.ask(proposal({ approvalId: "a2" }), () => undefined);
  const click = { sessionId: "s1", approvalId: "a1", changeId: "g1", verdict: "accept" } as const;
  await say({ kind: "markAll", ...click });
  await say({ kind: "mark", ...click, hunkId: "h1" });
  assert.equal(troubles.length, 2);
  assert.deepEqual(desk.pending.map((q) => q.approvalId), ["a2"]);
  await say({ kind: "markAll", ...click, approvalId: "a2" });
  assert.equal((await asked).outcome, "selected");
});

test("a text that did not get through comes back with what went along", async () => {
  const { say, told } = stage({ send: async () => false });
  const mention = { kind: "file", uri: "file:///w/a", name: "a" } as const;
  await say({ kind: "send", text: "fix it", mentions: [mention] });
  assert.deepEqual(told, [{ kind: "draft", text: "fix it" }, { kind: "mention", mention }]);
});

test("a text that got through does not come back", async () => {
  const { say, told } = stage({ send: async () => true });
  await say({ kind: "send", text: "fix it", mentions: [] });
  assert.deepEqual(told, []);
});

test("files are answered under the number they were asked with", async () => {
  const { say, told } = stage();
  await say({ kind: "findFiles", request: 7, query: "li" });
  assert.deepEqual(told, [{ kind: "files", request: 7, files: [{ uri: "file:///w/a", name: "a", path: "li" }] }]);
});

test("what fails is said in the view", async () => {
  const { say, troubles } = stage();
  await say({ kind: "open", uri: "file:///w/gone" });
  assert.deepEqual(troubles, ["no such file"]);
});

test("applied hunks are settled by the review", async () => {
  const { say, done } = stage();
  await say({ kind: "resolve", sessionId: "s1", changeId: "g1", hunks: ["h1", "h2"], verdict: "reject" });
  assert.deepEqual(done, ["reject s1 g1 h1,h2"]);
});

test("a model is asked for by its name with the editor's own box", async () => {
  const { say, done } = stage();
  await say({ kind: "otherModel" });
  assert.deepEqual(done, ["drawbridge.selectModel other"]);
});

test("a command is shown, typed into and stopped under the session it was pressed in", async () => {
  const { say, done } = stage();
  const name = { sessionId: "s2", terminalId: "x1" };
  await say({ kind: "showTerminal", ...name });
  await say({ kind: "typeInto", ...name });
  await say({ kind: "stopCommand", ...name });
  assert.deepEqual(done, ["terminal s2 x1", "type s2 x1", "stop s2 x1"]);
});

test("a rewind is of the session that is shown, and of no other", async () => {
  const { say, done, troubles } = stage();
  await say({ kind: "rewind", sessionId: "s1", turnId: "t3" });
  await say({ kind: "rewind", sessionId: "s2", turnId: "t3" });
  assert.deepEqual(done, ["rewind t3"]);
  assert.equal(troubles.length, 1);
});

test("what belongs to a subagent is done in its own session, while it can be seen", async () => {
  const asked: string[] = [];
  const { deps, done, troubles, say } = stage({
    stopSubagent: async (sessionId: string, subagentId: string) => void asked.push(`stop ${sessionId} ${subagentId}`),
    loadChild: async (sessionId: string) => void asked.push(`load ${sessionId}`),
  } as Partial<Work>);
  const origin = { sessionId: "s1", callId: "c1", subagentId: "subagent-1", title: "x" };
  deps.sessions.adopt({ ...session, sessionId: "child", origin });
  await say({ kind: "resolve", sessionId: "child", changeId: "g1", hunks: ["h1"], verdict: "reject" });
  await say({ kind: "openChange", sessionId: "child", changeId: "g1" });
  await say({ kind: "openPicture", sessionId: "child", callId: "c1", index: 2 });
  await say({ kind: "stopSubagent", sessionId: "s1", subagentId: "subagent-1" });
  await say({ kind: "loadChild", sessionId: "child" });
  await say({ kind: "chooseProfile" });
  assert.deepEqual(done, ["reject child g1 h1", "open child g1", "picture child c1 2", "drawbridge.newSessionWith"]);
  assert.deepEqual(asked, ["stop s1 subagent-1", "load child"]);
  deps.sessions.adopt({ ...session, sessionId: "s5" });
  deps.sessions.show("s5");
  await say({ kind: "resolve", sessionId: "child", changeId: "g1", hunks: ["h1"], verdict: "reject" });
  assert.equal(troubles.length, 1);
});
