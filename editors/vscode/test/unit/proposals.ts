/** Questions, changes and conversations as the bridge would send them, for tests of the review. */
import type { ApprovalAnswer, ApprovalOption, ChangeKind, ChangeUpdated, Hunk, Session } from "../../src/protocol.gen.ts";
import type { Desk } from "../../src/model/desk.ts";
import type { ChangeApproval } from "../../src/review/marks.ts";

/** A hunk that replaces lines; lines count from 0, and an empty text has none. */
export function hunk(hunkId: string, at: { old: number; new: number }, oldText: string, newText: string): Hunk {
  const range = (start: number, text: string) => {
    const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    const open = text !== "" && !text.endsWith("\n");
    const last = text.slice(text.lastIndexOf("\n") + 1).length;
    return {
      start: { line: start, character: 0 },
      end: open ? { line: start + lines - 1, character: last } : { line: start + lines, character: 0 },
    };
  };
  return { hunkId, oldText, newText, oldRange: range(at.old, oldText), newRange: range(at.new, newText), header: "@@" };
}

/** Three one-line hunks at the lines 2, 6 and 10. */
export const three: readonly Hunk[] = [2, 6, 10].map((line, i) => hunk(`h${i + 1}`, { old: line, new: line }, "Helo\n", "Hello\n"));

export const options: readonly ApprovalOption[] = [
  { optionId: "session-yes", kind: "allow", scope: "session", label: "Apply, and the like", rule: "changes of greet.go" },
  { optionId: "yes", kind: "allow", scope: "once", label: "Apply" },
  { optionId: "no", kind: "deny", scope: "once", label: "Reject" },
];

export function proposal(over: {
  approvalId?: string; sessionId?: string; changeId?: string; uri?: string; kind?: ChangeKind;
  hunks?: readonly Hunk[]; callId?: string; turnId?: string;
} = {}): ChangeApproval {
  const { approvalId = "a1", sessionId = "s1", changeId = "g1", uri = "file:///w/greet.go", kind = "modify", hunks = three, callId = "c1", turnId = "t1" } = over;
  return {
    approvalId, sessionId, turnId, callId, title: "Edit greet.go", reason: "the mode asks", access: "write", digest: "d", since: 3, derivation: [], options,
    change: { changeId, uri, kind, base: "b0", hunks, diff: "" },
  };
}

export function changed(over: Partial<ChangeUpdated> = {}): ChangeUpdated {
  return {
    sessionId: "s1", seq: 1, changeId: "g1", callId: "c1", turnId: "t1", uri: "file:///w/greet.go", kind: "modify", state: "applied",
    base: "b1", hunks: three.map((h) => ({ ...h, state: "applied" })), undecided: 3, ...over,
  };
}

export function session(sessionId = "s1"): Session {
  return {
    sessionId, title: "Mend the greeting", cwd: "/w", roots: ["/w"], model: "m:x", mode: "auto-edit", preset: "workspace-write",
    profile: "default", createdAt: 0, updatedAt: 0, state: "idle",
  };
}

/** Asks and remembers how it was answered; withdraw takes the question off as the bridge would. */
export function ask(desk: Desk, question: ChangeApproval): { answer: ApprovalAnswer | undefined; withdraw: () => void } {
  const asked: { answer: ApprovalAnswer | undefined; withdraw: () => void } = { answer: undefined, withdraw: () => undefined };
  void desk.ask(question, (f) => (asked.withdraw = f)).then((answer) => (asked.answer = answer));
  return asked;
}

/** Lets promises that are settled be heard. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
