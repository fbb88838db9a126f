/**
 * Subagents: models at work for a session's model, each in a session of its
 * own. A person sees them, and answers for them, where they were started.
 */
import type { Conversation } from "./conversation.ts";
import type { Origin, Session, Subagent, SubagentState } from "../protocol.gen.ts";

/** The session in whose conversation something is shown: a subagent's is shown in that of the one that started it. */
export function shownIn({ sessionId, origin }: { readonly sessionId: string; readonly origin?: Origin }): string {
  return origin?.sessionId ?? sessionId;
}

/** A subagent's session that was heard of by what happens in it, and not described yet. */
export function introduced(sessionId: string, origin: Origin, parent: Session | undefined): Session {
  const { cwd = "", roots = [], model = "", mode = "always-ask", preset = "read-only", profile = "default", createdAt = 0, updatedAt = 0 } = parent ?? {};
  return { sessionId, origin, title: origin.title, cwd, roots, model, mode, preset, profile, createdAt, updatedAt, state: "idle" };
}

/** Those that a call started, in the order of their starts. */
export function subagentsOf({ subagents }: Conversation, callId: string): Subagent[] {
  return Object.values(subagents).filter((subagent) => subagent.callId === callId);
}

/** It works, or would if a person answered. */
export function isAtWork({ state }: Subagent): boolean {
  return state === "running" || state === "waiting";
}

/** It works on without a call that waits for it. */
export function worksAlone(subagent: Subagent): boolean {
  return subagent.background === true && isAtWork(subagent);
}

/** The bridge is gone, and every subagent with it. */
export function lost(subagent: Subagent): Subagent {
  if (subagent.state === "ended") return subagent;
  const { questions: _, ...rest } = subagent;
  return { ...rest, state: "ended", detail: isAtWork(subagent) ? "the bridge ended" : (subagent.detail ?? "") };
}

/** How a subagent stands: an icon and words. */
export const stateWords: { readonly [S in SubagentState]: { readonly icon: string; readonly word: string } } = {
  running: { icon: "loading", word: "Working" },
  waiting: { icon: "question", word: "Waiting for you" },
  idle: { icon: "check", word: "Answered" },
  ended: { icon: "circle-slash", word: "Ended" },
};

/** "subagent-1a2b3c4d: Look for the tests". */
export function subagentName({ subagentId, title }: Pick<Origin, "subagentId" | "title">): string {
  return title === "" ? subagentId : `${subagentId}: ${title}`;
}
