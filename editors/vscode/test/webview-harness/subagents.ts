/** Scenes of subagents: one that works, one that asks, several at once, one of which only the end is known. */
import { commandQuestion, changeQuestion, session, snapshot, threeHunks, threeHunksDiff, Told } from "./scenes.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import type { EventName } from "../../src/model/conversation.ts";
import type { ApprovalRequestParams, NotificationsToEditor, Origin, Subagent, SubagentState } from "../../src/protocol.gen.ts";

const titles = ["Look for the tests", "Mend the greeting in every file that greets somebody"];

export function originOf(n: number): Origin {
  return { sessionId: "s1", callId: `r${n}`, subagentId: `subagent-${n}a2b3c4d`, title: titles[n - 1] ?? "Do it" };
}

/** Events of a subagent's own session, as they come: unasked, each with its origin. */
export class Child extends Told {
  readonly n: number;

  constructor(n: number) {
    super();
    this.n = n;
  }

  override event<M extends EventName>(method: M, params: Omit<NotificationsToEditor[M]["params"], "sessionId" | "seq">): ToView {
    const told = super.event(method, params) as Extract<ToView, { kind: "event" }>;
    return { ...told, params: { ...(told.params as object), sessionId: `child${this.n}`, origin: originOf(this.n) } };
  }

  asked(question: ApprovalRequestParams): ToView {
    const { approvalId, callId, change } = question;
    const own = { approvalId: `${approvalId}.${this.n}`, callId: `${callId}.${this.n}`, ...(change && { change: { ...change, changeId: `${change.changeId}.${this.n}` } }) };
    return { kind: "asked", approval: { ...question, ...own, sessionId: `child${this.n}`, origin: originOf(this.n) } };
  }
}

export function subagent(n: number, state: SubagentState, more: Partial<Subagent> = {}): Subagent {
  const { callId, subagentId, title } = originOf(n);
  return { callId, subagentId, title, sessionId: `child${n}`, model: session.model, state, since: Date.now(), ...more };
}

export function started(t: Told, n: number, more: Partial<Subagent> = {}): ToView[] {
  return [
    t.start(`r${n}`, "run_subagent", originOf(n).title, "read", { prompt: originOf(n).title }),
    t.event("subagent/updated", { subagent: subagent(n, "running", more) }),
  ];
}

/** Reads a file and says something. */
export function works(c: Child): ToView[] {
  return [
    ...c.prompt("Find every test that greets somebody, and say where it is.\nChange nothing."),
    c.say("I look at the **tests** first.\n"),
    c.start(`c1.${c.n}`, "read_file", "Read greet_test.go", "read", { file_path: "greet_test.go" }),
    c.done(`c1.${c.n}`, "func TestGreet(t *testing.T) {}\n"),
  ];
}

/** One that works, in the foreground. */
export function working(t = new Told(), c = new Child(1)): ToView[] {
  return [snapshot(), ...t.prompt("Where are the tests?"), ...started(t, 1), ...works(c)];
}

/** Two at once: the first asks for a command, the second for an edit. */
export function asking(t = new Told(), one = new Child(1), two = new Child(2)): ToView[] {
  return [
    ...working(t, one),
    one.start("c2.1", "exec_command", "go test ./...", "execute", { cmd: "go test ./..." }),
    one.asked(commandQuestion("2", "go test ./...")),
    ...started(t, 2, { background: true }),
    ...two.prompt("Mend the greeting."),
    two.start("c1.2", "edit_file", "Edit src/greet.go", "write", {}),
    two.asked(changeQuestion("1", threeHunks, threeHunksDiff)),
    t.asks(),
  ];
}

/** One that answered and one that works on in the background, after the turn that started both. */
export function inBackground(t = new Told(), one = new Child(1), two = new Child(2)): ToView[] {
  return [
    ...working(t, one),
    one.say("There are two."),
    ...one.end("endTurn"),
    t.event("subagent/updated", { subagent: subagent(1, "idle", { detail: "answered" }) }),
    t.done("r1", "There are two."),
    ...started(t, 2, { background: true }),
    t.done("r2", "[running as subagent-2a2b3c4d]"),
    ...two.prompt("Mend the greeting."),
    two.start("c1.2", "exec_command", "make watch", "execute", {}),
    two.event("terminal/opened", { terminalId: "x1.2", callId: "c1.2", title: "make watch", cwd: "/home/ada/greet", cols: 80, rows: 24 }),
    two.event("terminal/updated", { terminalId: "x1.2", background: true }),
    t.say("The second works on."),
    ...t.end("endTurn"),
  ];
}

/** What a session that was loaded tells of its subagents. */
export function replayed(t = new Told()): ToView[] {
  return [
    snapshot(),
    ...t.prompt("Where are the tests?"),
    t.start("r1", "run_subagent", originOf(1).title, "read", {}),
    t.event("subagent/updated", { subagent: subagent(1, "ended", { detail: "the session was closed" }) }),
    t.done("r1", "There are two."),
    ...t.end("endTurn"),
  ];
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A picture that was read, one of a kind that is not shown, and one that is none. */
export function pictured(t = new Told()): ToView[] {
  return [
    snapshot(),
    ...t.prompt("What does the logo show?"),
    t.start("c1", "read_image", "Read docs/logo.png", "read", { source: "docs/logo.png" }),
    t.event("toolCall/completed", {
      callId: "c1", status: "completed", text: "image/png, 68 B", durationMs: 12,
      images: [
        { mimeType: "image/png", data: pixel }, { mimeType: "image/svg+xml", data: pixel }, { mimeType: "image/png", data: "bm9uZQ==" },
      ],
    }),
    t.say("A single red dot."),
    ...t.end("endTurn"),
  ];
}

/** A read over the network that is asked about. */
export function address(): ToView[] {
  const { command: _, ...asked } = commandQuestion("1", "https://images.example/a.png");
  const t = new Told();
  return [
    snapshot(), ...t.prompt("Look at it"), t.start("c1", "read_image", "Read https://images.example/a.png", "read", {}), t.asks(),
    { kind: "asked", approval: { ...asked, access: "read", title: "Read https://images.example/a.png", url: "https://images.example/a.png?q=\u202esecret" } },
  ];
}
