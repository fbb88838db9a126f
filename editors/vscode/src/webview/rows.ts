/**
 * What the log shows, from top to bottom: the items of a conversation, with
 * the turns that were sent again folded into one row each, and behind them
 * what has no item: steering text that waits, and a question of no known call.
 */
import type { Conversation, Item } from "../model/conversation.ts";
import type { ApprovalRequestParams, Block } from "../protocol.gen.ts";

export type Row =
  | Item
  | { readonly kind: "replaced"; readonly key: string; readonly items: readonly Item[] }
  | { readonly kind: "queued"; readonly key: string; readonly blocks: readonly Block[] }
  | { readonly kind: "question"; readonly key: string; readonly question: ApprovalRequestParams };

/** Others are questions of subagents; one whose card is not there stands by itself. */
export function rowsOf(conversation: Conversation, others: readonly ApprovalRequestParams[] = []): Row[] {
  const rows = fold(conversation);
  conversation.queued?.forEach((blocks, i) => rows.push({ kind: "queued", key: `queued-${i}`, blocks }));
  const calls = new Set(conversation.approvals.length > 0 ? conversation.items.map(callIdOf) : []);
  for (const question of conversation.approvals) {
    if (!calls.has(question.callId)) rows.push({ kind: "question", key: question.approvalId, question });
  }
  for (const question of others) {
    const hasCard = rows.some((row) => row.kind === "call" && row.callId === question.origin?.callId);
    if (!hasCard) rows.push({ kind: "question", key: question.approvalId, question });
  }
  return rows;
}

function fold(conversation: Conversation): Row[] {
  const { items, replaced } = conversation;
  if (!replaced) return items.filter(isSeen);
  const rows: Row[] = [];
  let gone: Item[] = [];
  const close = (): void => {
    const first = gone[0];
    if (first) rows.push({ kind: "replaced", key: `replaced-${first.key}`, items: gone });
    gone = [];
  };
  for (const item of items) {
    const isGone = "turnId" in item ? replaced[item.turnId] !== undefined : gone.length > 0;
    // What is folded may have been sent again several times: each prompt begins a row.
    if (isGone && item.kind === "prompt") close();
    if (isGone) gone.push(item);
    else close();
    if (!isGone && isSeen(item)) rows.push(item);
  }
  close();
  return rows;
}

/** A turn that just ended needs no word. */
function isSeen(item: Item): boolean {
  return item.kind !== "end" || item.stopReason !== "endTurn" || item.returned !== undefined;
}

function callIdOf(item: Item): string {
  return item.kind === "call" ? item.callId : "";
}
