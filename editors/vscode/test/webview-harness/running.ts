/** Scenes of commands that go on: one that waits for typing, some in the background, one that left processes behind. */
import { commandQuestion, snapshot, Told } from "./scenes.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import type { ApprovalOption, ApprovalRequestParams, CommandQuestion, Notice } from "../../src/protocol.gen.ts";

/** A call that runs a command in a terminal. */
export function runs(t: Told, n: number, command: string): ToView[] {
  return [
    t.start(`c${n}`, "exec_command", command, "execute", { cmd: command }),
    t.event("terminal/opened", {
      terminalId: `x${n}`, callId: `c${n}`, title: command, cwd: "/home/ada/greet", cols: 80, rows: 24,
      processId: `proc-${n}`, sandbox: "bubblewrap",
    }),
  ];
}

/** Its call ends and it goes on. */
export function yields(t: Told, n: number, text = "listening on :3000\n[still running]"): ToView[] {
  return [
    t.event("terminal/updated", { terminalId: `x${n}`, background: true }),
    t.event("toolCall/completed", {
      callId: `c${n}`, status: "completed", text, terminalId: `x${n}`, processId: `proc-${n}`, durationMs: 1003,
    }),
  ];
}

export function waiting(t = new Told()): ToView[] {
  return [
    snapshot(),
    ...t.prompt("Set the package up"),
    t.say("I let npm ask.\n"),
    ...runs(t, 1, "npm init"),
    { kind: "lastLine", sessionId: "s1", terminalId: "x1", text: "package name: (greet)" },
    t.event("terminal/updated", { terminalId: "x1", waiting: true }),
    t.event("state/changed", { state: "input", since: Date.now(), detail: "npm init", callId: "c1" }),
  ];
}

export function background(t = new Told()): ToView[] {
  return [
    snapshot(),
    ...t.prompt("Serve it, and watch the styles"),
    ...runs(t, 1, "npm run dev -- --host 127.0.0.1 --port 3000 --strict-port"),
    ...yields(t, 1),
    { kind: "lastLine", sessionId: "s1", terminalId: "x1", text: "  ➜  Local:   http://localhost:3000/" },
    ...runs(t, 2, "make watch"),
    ...yields(t, 2, "watching"),
    t.event("terminal/updated", { terminalId: "x2", background: true, waiting: true }),
    ...runs(t, 3, "./start.sh"),
    t.event("terminal/updated", {
      terminalId: "x3", survivors: [{ pid: 4711, name: "node server.js" }, { pid: 4712, name: "tail -f log" }], exit: { code: 0 },
    }),
    t.event("toolCall/completed", {
      callId: "c3", status: "completed", text: "started", terminalId: "x3", processId: "proc-3", durationMs: 40,
    }),
    t.say("All three run."),
    ...t.end("endTurn"),
  ];
}

const notices: readonly Notice[] = [
  {
    processId: "proc-1", callId: "c1", terminalId: "x1", title: "go test ./...", ok: false, detail: "exit code 1",
    tail: "\u001b[31m--- FAIL: TestGreet\u001b[0m\n    greet_test.go:9: got Helo, Ada\nFAIL\n",
  },
  { processId: "proc-2", callId: "c2", title: "make lint", ok: true, detail: "exit code 0" },
];

export function ended(t = new Told()): ToView[] {
  return [
    snapshot(),
    ...t.prompt("Test and lint in the background"),
    ...runs(t, 1, "go test ./..."),
    ...yields(t, 1, "[still running]"),
    ...t.end("endTurn"),
    t.event("terminal/closed", { terminalId: "x1", exit: { code: 1 } }),
    t.event("turn/started", { turnId: "t2", prompt: [], background: true }),
    t.event("turn/notified", { turnId: "t2", notices }),
    t.say("The test failed: the greeting is still misspelt."),
    ...t.end("endTurn", {}, "t2"),
  ];
}

/** A question for a command, with what else is to be known of it. */
export function asksFor(text: string, more: Partial<CommandQuestion>, title = text): ToView[] {
  const base = commandQuestion("1", text);
  const options = more.typedInto === undefined ? base.options : typing;
  const approval: ApprovalRequestParams = { ...base, title, options, command: { ...base.command!, ...more } };
  const t = new Told();
  return [snapshot(), ...t.prompt("Do it"), t.start("c1", "x", title, "execute", {}), t.asks(), { kind: "asked", approval }];
}

const typing: readonly ApprovalOption[] = [
  { optionId: "allow", kind: "allow", scope: "once", label: "Type" },
  { optionId: "allow-session", kind: "allow", scope: "session", label: "Type, and whatever else into this command" },
  { optionId: "deny", kind: "deny", scope: "once", label: "Deny" },
];

export const escalating = {
  unconfined: true,
  escalation: "The packages must be downloaded.\n[Approve](command:drawbridge.open) **now** \u202e",
  background: true,
} as const;
