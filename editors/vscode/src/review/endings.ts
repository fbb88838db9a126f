/** How a question about a change ends: what the events after it mean for whoever looks at it. */
import type { EventName } from "../model/conversation.ts";
import type { ApprovalResolved, ChangeUpdated, NotificationsToEditor, ResolvedBy, ToolCallCompleted } from "../protocol.gen.ts";
import type { ChangeApproval } from "./marks.ts";

export type Ending =
  | { readonly kind: "applied" }
  | { readonly kind: "rejected" }
  | { readonly kind: "stale"; readonly why?: string }
  /** Nobody here settled it. */
  | { readonly kind: "withdrawn"; readonly cause?: string }
  /** A question about the same change, planned anew, takes its place. */
  | { readonly kind: "superseded" };

/**
 * What an event says about the end of a question; undefined when it says
 * nothing. An answer alone is no end: what was done of it follows.
 */
export function endingOf(
  question: ChangeApproval, method: EventName, params: NotificationsToEditor[EventName]["params"],
): Ending | undefined {
  if (params.sessionId !== question.sessionId || params.replayed) return undefined;
  switch (method) {
    case "approval/resolved":
      return ofResolution(question, params as ApprovalResolved);
    case "change/updated":
      return ofChange(question, params as ChangeUpdated);
    case "toolCall/completed": // there is nothing to come after it
      return (params as ToolCallCompleted).callId === question.callId ? { kind: "withdrawn" } : undefined;
    default:
      return undefined;
  }
}

function ofResolution(question: ChangeApproval, resolved: ApprovalResolved): Ending | undefined {
  if (resolved.approvalId !== question.approvalId || resolved.outcome === "allowed") return undefined;
  if (resolved.by === "superseded") return { kind: "superseded" };
  if (resolved.by === "person") return undefined;
  return { kind: "withdrawn", cause: resolved.cause || causes[resolved.by] };
}

function ofChange(question: ChangeApproval, change: ChangeUpdated): Ending | undefined {
  if (change.changeId !== question.change.changeId) return undefined;
  switch (change.state) {
    case "proposed":
      return undefined;
    case "applied":
    case "partly":
      return { kind: "applied" };
    case "rejected":
    case "reverted":
      return { kind: "rejected" };
    case "stale":
      return { kind: "stale", ...(change.why && { why: change.why }) };
  }
}

const causes: { readonly [by in Exclude<ResolvedBy, "person" | "superseded">]: string } = {
  rule: "a rule or the mode forbids it",
  grant: "an earlier answer covers it",
  cancel: "the turn was stopped",
  closed: "the session was closed",
  nobody: "nobody answered",
  timeout: "nobody answered in time",
};
