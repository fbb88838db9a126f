import assert from "node:assert/strict";
import { test } from "node:test";
import { BridgeError } from "../../src/bridge/link.ts";
import type { Link } from "../../src/bridge/link.ts";
import type { Connection } from "../../src/conversation/messages.ts";
import { Listeners } from "../../src/model/listeners.ts";
import { Sessions } from "../../src/model/sessions.ts";
import { Work } from "../../src/work.ts";
import type { Settings } from "../../src/work.ts";
import { Numbered, session, usage, wholeTurn } from "./events.ts";

type Answer = (params: Record<string, unknown>) => unknown;

/** A window on a bridge that answers as it is told. */
class Window {
  readonly sent: [string, unknown][] = [];
  readonly troubles: string[] = [];
  readonly sessions = new Sessions();
  readonly answers: { [method: string]: Answer } = {};
  remembered: string | undefined;
  settings: Settings = { model: "m:x", mode: "auto-edit", preset: "full-access" };
  trusted = true;
  folder: string | undefined = "/w";
  connection: Connection = { kind: "ready" };
  readonly connections = new Listeners<[Connection]>();
  readonly n = new Numbered();
  readonly work: Work;

  constructor() {
    const request = async (method: string, params: unknown): Promise<unknown> => {
      this.sent.push([method, params]);
      await Promise.resolve();
      return (this.answers[method] ?? defaults[method] ?? (() => ({})))(params as Record<string, unknown>);
    };
    const onConnection = (f: (c: Connection) => void) => this.connections.add(f);
    const link = { request, onConnection, notify: () => undefined } as unknown as Link;
    Object.defineProperty(link, "connection", { get: () => this.connection });
    this.work = new Work({
      link, sessions: this.sessions, settings: () => this.settings,
      trusted: () => this.trusted, folder: () => this.folder,
      memory: { get: () => this.remembered, set: (id) => { this.remembered = id; } },
      trouble: (text) => this.troubles.push(text),
    });
  }

  connect(connection: Connection): void {
    this.connection = connection;
    this.connections.fire(connection);
  }

  methods(): string[] {
    return this.sent.map(([method]) => method);
  }

  begin(turnId: string): void {
    this.sessions.apply(...this.n.event("turn/started", { turnId, prompt: [{ type: "text", text: "x" }] }));
  }

  end(turnId: string, stopReason: "endTurn" | "interrupted"): void {
    this.sessions.apply(...this.n.event("turn/completed", { turnId, stopReason, usage }));
  }
}

const defaults: { [method: string]: Answer } = {
  "session/new": () => ({ session }),
  "session/load": (p) => ({ session: { ...session, sessionId: p["sessionId"] }, lastSeq: 5 }),
  "session/configure": (p) => ({ session: { ...session, ...p } }),
  "session/prompt": () => ({}),
};

const text = [{ type: "text", text: "fix it" }] as const;

function fail(kind: ConstructorParameters<typeof BridgeError>[1], message = "no"): Answer {
  return () => { throw new BridgeError(message, kind); };
}

test("what is asked for while the bridge starts waits for it and for the session it brings back", async () => {
  const w = new Window();
  await w.work.restore();
  w.begin("t1");
  w.end("t1", "interrupted");
  w.connect({ kind: "starting" });
  const continued = w.work.continue();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(w.methods(), ["session/new"]);
  w.connect({ kind: "restarting", inMs: 1, why: "it ended" });
  w.answers["session/load"] = () => {
    w.begin("t1");
    w.end("t1", "interrupted");
    return { session, lastSeq: 9 };
  };
  w.connect({ kind: "ready" });
  void w.work.restore();
  await continued;
  assert.deepEqual(w.methods(), ["session/new", "session/load", "session/continue"]);
  assert.deepEqual(w.troubles, []);
});

test("a window without a session gets one with what the settings say", async () => {
  const w = new Window();
  await w.work.restore();
  assert.deepEqual(w.sent, [["session/new", { model: "m:x", mode: "auto-edit", preset: "full-access" }]]);
  assert.equal(w.remembered, "s1");
  assert.equal(w.sessions.current?.session.sessionId, "s1");
});

test("a window without a folder waits for one", async () => {
  const w = new Window();
  w.folder = undefined;
  await w.work.restore();
  assert.deepEqual(w.sent, []);
});

test("in an untrusted workspace a session is read-only whatever the settings say, a loaded one too", async () => {
  const w = new Window();
  w.trusted = false;
  await w.work.restore();
  assert.deepEqual(w.sent[0], ["session/new", { model: "m:x", mode: "read-only", preset: "read-only" }]);
  await w.work.switchTo("s7");
  assert.deepEqual(w.sent.at(-1), ["session/configure", { sessionId: "s7", mode: "read-only", preset: "read-only" }]);
});

test("nobody loosens a session in an untrusted workspace", async () => {
  const w = new Window();
  w.trusted = false;
  await w.work.restore();
  w.sent.length = 0;
  await w.work.configure({ mode: "allow-all" });
  await w.work.configure({ preset: "full-access" });
  assert.deepEqual(w.sent, []);
  assert.equal(w.troubles.length, 2);
  await w.work.configure({ title: "Other" });
  assert.deepEqual(w.methods(), ["session/configure"]);
});

test("once trusted, every open session becomes what the settings say", async () => {
  const w = new Window();
  w.trusted = false;
  await w.work.restore();
  await w.work.switchTo("s7");
  w.trusted = true;
  w.sent.length = 0;
  await w.work.trust();
  assert.deepEqual(w.sent, ["s1", "s7"].map((sessionId) =>
    ["session/configure", { sessionId, mode: "auto-edit", preset: "full-access" }]));
});

test("after a reload the session that was shown is loaded", async () => {
  const w = new Window();
  w.remembered = "s1";
  await w.work.restore();
  assert.deepEqual(w.methods(), ["session/load"]);
  assert.equal(w.sessions.current?.session.sessionId, "s1");
});

test("a session that is gone makes room for a new one, without a word", async () => {
  const w = new Window();
  w.remembered = "s9";
  w.answers["session/load"] = fail("unknownSession");
  await w.work.restore();
  assert.deepEqual(w.methods(), ["session/load", "session/new"]);
  assert.equal(w.remembered, "s1");
  assert.deepEqual(w.troubles, []);
});

test("a session that the bridge before still holds is waited for", async () => {
  const w = new Window();
  w.remembered = "s1";
  let busy = 2;
  w.answers["session/load"] = (p) => {
    if (busy-- > 0) throw new BridgeError("busy", "sessionBusy");
    return defaults["session/load"]?.(p);
  };
  await w.work.restore();
  assert.deepEqual(w.methods(), ["session/load", "session/load", "session/load"]);
  assert.deepEqual(w.troubles, []);
});

test("a session that cannot be read is said, and a new one begun", async () => {
  const w = new Window();
  w.remembered = "s1";
  w.answers["session/load"] = fail("sessionCorrupt", "line 3");
  await w.work.restore();
  assert.equal(w.troubles.length, 1);
  assert.match(w.troubles[0] ?? "", /line 3/);
  assert.deepEqual(w.methods(), ["session/load", "session/new"]);
});

test("a text starts a turn when none runs, and steers the one that runs", async () => {
  const w = new Window();
  assert.equal(await w.work.send(text), true);
  w.begin("t1");
  assert.equal(await w.work.send(text), true);
  assert.deepEqual(w.sent.slice(1), [
    ["session/prompt", { sessionId: "s1", content: text }],
    ["session/steer", { sessionId: "s1", expectedTurnId: "t1", content: text }],
  ]);
  assert.deepEqual(w.sessions.current?.queued, [text]);
});

test("a text for a turn that has just ended starts the next one", async () => {
  const w = new Window();
  await w.work.restore();
  w.begin("t1");
  w.answers["session/steer"] = fail("noTurn");
  assert.equal(await w.work.send(text), true);
  assert.deepEqual(w.methods(), ["session/new", "session/steer", "session/prompt"]);
});

test("a text that a background command's turn overtakes goes to that turn", async () => {
  const w = new Window();
  await w.work.ensure();
  w.answers["session/prompt"] = () => {
    w.sessions.apply(...w.n.event("turn/started", { turnId: "t9", prompt: [], background: true }));
    throw new BridgeError("a turn is running", "turnRunning");
  };
  assert.equal(await w.work.send([{ type: "text", text: "hello" }]), true);
  assert.deepEqual(w.sent.at(-1), ["session/steer", { sessionId: "s1", content: [{ type: "text", text: "hello" }] }]);
  assert.deepEqual(w.troubles, []);
});

test("a text that did not get through is said and not taken for sent", async () => {
  const w = new Window();
  await w.work.restore();
  w.answers["session/prompt"] = fail("busy", "too many requests");
  assert.equal(await w.work.send(text), false);
  assert.match(w.troubles[0] ?? "", /too many requests/);
});

test("sending does not wait for the end of the turn", async () => {
  const w = new Window();
  await w.work.restore();
  w.answers["session/prompt"] = () => new Promise(() => undefined);
  const sending = w.work.send(text);
  await new Promise((resolve) => setImmediate(resolve));
  w.begin("t1");
  assert.equal(await sending, true);
});

test("the loss of the bridge in mid-turn is not told twice", async () => {
  const w = new Window();
  await w.work.restore();
  let lose: (fault: Error) => void = () => undefined;
  w.answers["session/prompt"] = () => new Promise((_, reject) => { lose = reject; });
  const sending = w.work.send(text);
  await new Promise((resolve) => setImmediate(resolve));
  w.begin("t1");
  await sending;
  lose(new BridgeError("gone", "disconnected"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(w.troubles, []);
});

test("the last prompt is sent again in place of its turn, an earlier one is not", async () => {
  const w = new Window();
  await w.work.restore();
  for (const t of ["t1", "t2"]) {
    w.begin(t);
    w.end(t, "endTurn");
  }
  assert.equal(await w.work.resend("t1", text), false);
  assert.equal(await w.work.resend("t2", text), true);
  assert.deepEqual(w.sent.at(-1), ["session/prompt", { sessionId: "s1", content: text, replaces: "t2" }]);
});

test("only a turn that was cut off is continued", async () => {
  const w = new Window();
  await w.work.restore();
  w.begin("t1");
  w.end("t1", "endTurn");
  await w.work.continue();
  assert.deepEqual(w.methods(), ["session/new"]);
  w.begin("t2");
  w.end("t2", "interrupted");
  await w.work.continue();
  assert.deepEqual(w.sent.at(-1), ["session/continue", { sessionId: "s1" }]);
});

test("a session in which nothing was said is as good as a new one", async () => {
  const w = new Window();
  await w.work.restore();
  await w.work.newSession();
  assert.deepEqual(w.methods(), ["session/new"]);
  for (const [method, params] of wholeTurn(w.n)) w.sessions.apply(method, params);
  await w.work.newSession();
  assert.deepEqual(w.methods(), ["session/new", "session/new"]);
});

test("two who need a session at the same time get the same one", async () => {
  const w = new Window();
  await Promise.all([w.work.ensure(), w.work.ensure()]);
  assert.deepEqual(w.methods(), ["session/new"]);
});

test("a text that is sent while the last session is being loaded goes into that one", async () => {
  const w = new Window();
  w.remembered = "s7";
  const restoring = w.work.restore();
  const sending = w.work.send(text);
  await Promise.all([restoring, sending]);
  assert.deepEqual(w.sent, [["session/load", { sessionId: "s7" }], ["session/prompt", { sessionId: "s7", content: text }]]);
});

test("changed settings count for a session in which nothing was said, and for no other", async () => {
  const w = new Window();
  await w.work.restore();
  w.sent.length = 0;
  await w.work.settingsChanged();
  assert.deepEqual(w.sent, [["session/configure", { sessionId: "s1", model: "m:x", mode: "auto-edit", preset: "full-access" }]]);
  w.begin("t1");
  w.sent.length = 0;
  await w.work.settingsChanged();
  assert.deepEqual(w.sent, []);
});

test("a session that has no model takes the one that is set, also after a turn failed for it", async () => {
  const w = new Window();
  w.answers["session/new"] = () => ({ session: { ...session, model: "" } });
  await w.work.restore();
  w.begin("t1");
  w.end("t1", "interrupted");
  w.sent.length = 0;
  await w.work.settingsChanged();
  assert.deepEqual(w.sent, [["session/configure", { sessionId: "s1", model: "m:x" }]]);
});

test("a session that this bridge has open is shown without loading it again", async () => {
  const w = new Window();
  await w.work.restore();
  await w.work.switchTo("s7");
  await w.work.switchTo("s1");
  assert.deepEqual(w.methods(), ["session/new", "session/load"]);
  assert.equal(w.sessions.current?.session.sessionId, "s1");
});

test("a key begins an empty session without a model anew; one with words or a model stays", async () => {
  const w = new Window();
  w.sessions.adopt({ ...session, model: "", mode: "plan", preset: "read-only" });
  w.sessions.show("s1");
  w.answers["session/new"] = () => ({ session: { ...session, sessionId: "s2", model: "openai:gpt" } });
  await w.work.modelsChanged();
  assert.deepEqual(w.sent, [
    ["session/new", { model: "m:x", mode: "plan", preset: "read-only", profile: "default" }], ["session/close", { sessionId: "s1" }],
  ]);
  assert.equal(w.sessions.current?.session.model, "openai:gpt");
  await w.work.modelsChanged();
  w.sessions.show("s1");
  w.begin("t1");
  await w.work.modelsChanged();
  assert.equal(w.sent.length, 2);
});

test("what nobody set of limits and tools is left to the bridge", async () => {
  const w = new Window();
  w.settings = { model: "", mode: "always-ask" };
  await w.work.restore();
  assert.deepEqual(w.sent, [["session/new", { mode: "always-ask" }]]);
  w.trusted = true;
  w.sessions.adopt({ ...session, profile: "compact" });
  await w.work.trust();
  assert.deepEqual(w.sent.at(-1), ["session/configure", { sessionId: "s1", mode: "always-ask", preset: "read-only" }]);
});

test("other tools begin another session; one in which nothing was said makes way", async () => {
  const w = new Window();
  await w.work.restore();
  w.answers["session/new"] = (p) => ({ session: { ...session, ...p, sessionId: `s${w.sent.length}` } });
  await w.work.newSessionWith("default");
  assert.deepEqual(w.methods(), ["session/new"], "it has them already");
  await w.work.newSessionWith("compact");
  assert.deepEqual(w.sent.slice(1), [
    ["session/new", { model: "script:x", profile: "compact", mode: "auto-edit", preset: "full-access" }], ["session/close", { sessionId: "s1" }],
  ]);
  assert.equal(w.sessions.current?.session.profile, "compact");
  const before = w.sessions.current!.session.sessionId;
  w.sessions.apply("turn/started", { sessionId: before, seq: 1, turnId: "t1", prompt: [{ type: "text", text: "x" }] });
  await w.work.newSessionWith("default");
  assert.deepEqual(w.methods().slice(3), ["session/new"], "what was said stays");
});

test("an empty session follows the tools that are set; one in which something was said keeps its own", async () => {
  const w = new Window();
  await w.work.restore();
  w.settings = { ...w.settings, profile: "compact" };
  w.answers["session/new"] = (p) => ({ session: { ...session, ...p, sessionId: "s2" } });
  await w.work.settingsChanged();
  assert.deepEqual(w.methods(), ["session/new", "session/new", "session/close"]);
  w.sessions.apply("turn/started", { sessionId: "s2", seq: 1, turnId: "t1", prompt: [{ type: "text", text: "x" }] });
  w.settings = { ...w.settings, profile: "default" };
  await w.work.settingsChanged();
  assert.equal(w.methods().length, 3);
  assert.equal(w.sessions.current?.session.profile, "compact");
});

test("a subagent is stopped once; its conversation is loaded and the session that is shown stays", async () => {
  const w = new Window();
  await w.work.restore();
  w.answers["subagent/kill"] = fail("unknownSubagent");
  await w.work.stopSubagent("s1", "subagent-1");
  assert.deepEqual(w.troubles, []);
  w.answers["subagent/kill"] = fail("disconnected", "the bridge is not running");
  await w.work.stopSubagent("s1", "subagent-1");
  assert.equal(w.troubles.length, 1);
  w.trusted = false;
  await w.work.loadChild("child");
  assert.deepEqual(w.sent.at(-1), ["session/load", { sessionId: "child" }], "a subagent's mode is that of the session that started it");
  assert.equal(w.sessions.current?.session.sessionId, "s1");
  assert.equal(w.remembered, "s1");
  w.answers["session/load"] = fail("unknownSession");
  await w.work.loadChild("gone");
  assert.equal(w.troubles.length, 2);
});
