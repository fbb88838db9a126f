/** Events of a session as the bridge sends them, numbered in order. */
import type { EventName } from "../../src/model/conversation.ts";
import type { ApprovalRequestParams, NotificationsToEditor, Session } from "../../src/protocol.gen.ts";

export const session: Session = {
  sessionId: "s1", title: "Fix the greeting", cwd: "/w", roots: ["/w"], model: "script:x", mode: "always-ask",
  preset: "workspace-write", profile: "default", createdAt: 1, updatedAt: 2, state: "idle",
};

type Body<M extends EventName> = Omit<NotificationsToEditor[M]["params"], "sessionId" | "seq" | "replayed">;
export type Sent = readonly [EventName, NotificationsToEditor[EventName]["params"]];

export class Numbered {
  seq = 0;
  readonly replayed: boolean;

  constructor(replayed = false) {
    this.replayed = replayed;
  }

  event<M extends EventName>(method: M, body: Body<M>): Sent {
    const head = { sessionId: session.sessionId, seq: ++this.seq, ...(this.replayed && { replayed: true }) };
    return [method, { ...head, ...body } as unknown as NotificationsToEditor[EventName]["params"]];
  }
}

export const usage = { inputTokens: 10, outputTokens: 2 };

/** A turn that says something, edits a file and ends. */
export function wholeTurn(n: Numbered, turnId = "t1"): Sent[] {
  return [
    n.event("turn/started", { turnId, prompt: [{ type: "text", text: "fix it" }] }),
    n.event("state/changed", { state: "model", since: 5, detail: "" }),
    n.event("message/chunk", { text: "I will " }),
    n.event("message/chunk", { text: "look." }),
    n.event("toolCall/started", { callId: "c1", name: "edit_file", title: "Edit a.go", access: "write" }),
    n.event("approval/resolved", { approvalId: "a1", callId: "c1", outcome: "allowed", by: "person" }),
    n.event("change/updated", {
      changeId: "g1", callId: "c1", turnId, uri: "file:///w/a.go", kind: "modify", state: "applied", base: "b1", hunks: [],
    }),
    n.event("toolCall/completed", { callId: "c1", status: "completed", text: "edited", changeId: "g1", durationMs: 12 }),
    n.event("usage/updated", { turnId, usage, total: usage, contextTokens: 12, contextLimit: 100 }),
    n.event("turn/completed", { turnId, stopReason: "endTurn", usage }),
    n.event("state/changed", { state: "idle", since: 9, detail: "" }),
  ];
}

export function question(approvalId: string, sessionId = session.sessionId): ApprovalRequestParams {
  return {
    approvalId, sessionId, turnId: "t1", callId: "c1", title: "run ls", reason: "mode always-ask", access: "execute",
    digest: approvalId, since: 3, derivation: [], command: { text: "ls", cwd: "/w", preset: "workspace-write", unconfined: true },
    options: [
      { optionId: "allow", kind: "allow", scope: "once", label: "Allow" },
      { optionId: "deny", kind: "deny", scope: "once", label: "Deny" },
    ],
  };
}
