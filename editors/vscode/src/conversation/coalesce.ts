/** Fewer messages that say the same: pieces of text in a row become one piece. */
import type { ToView } from "./messages.ts";

type EventToView = Extract<ToView, { kind: "event" }>;

export function coalesce(queue: readonly ToView[]): ToView[] {
  const merged: ToView[] = [];
  for (const message of queue) {
    const last = merged.at(-1);
    const both = last?.kind === "event" && message.kind === "event" ? join(last, message) : undefined;
    if (both) merged[merged.length - 1] = both;
    else merged.push(message);
  }
  return merged;
}

/** The later one's number stands for both, as it does in a replay. */
function join(a: EventToView, b: EventToView): EventToView | undefined {
  if (a.method !== b.method || !pieces.has(a.method)) return undefined;
  const first = a.params as Piece;
  const second = b.params as Piece;
  if (first.sessionId !== second.sessionId || first.callId !== second.callId) return undefined;
  const text = (first.text ?? "") + (second.text ?? "");
  return { kind: "event", method: b.method, params: { ...first, ...second, text } };
}

interface Piece {
  readonly sessionId: string;
  readonly callId?: string;
  readonly text?: string;
}

const pieces: ReadonlySet<string> = new Set(["message/chunk", "thought/chunk", "toolCall/updated"]);
