import assert from "node:assert/strict";
import { test } from "node:test";
import { coalesce } from "../../src/conversation/coalesce.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import { newConversation, reduce } from "../../src/model/reduce.ts";
import { Numbered, session, wholeTurn } from "./events.ts";
import type { Sent } from "./events.ts";

const toView = ([method, params]: Sent): ToView => ({ kind: "event", method, params });

test("pieces of text in a row are one message, and everything else stays in its order", () => {
  const n = new Numbered();
  const merged = coalesce([
    n.event("message/chunk", { text: "a" }), n.event("message/chunk", { text: "b" }), n.event("thought/chunk", { text: "c" }),
    n.event("toolCall/updated", { callId: "c1", text: "d", title: "T" }), n.event("toolCall/updated", { callId: "c1", text: "e" }),
    n.event("toolCall/updated", { callId: "c2", text: "f" }), n.event("message/chunk", { text: "g" }),
  ].map(toView));
  assert.deepEqual(merged.map((m) => m.kind === "event" && [m.method, (m.params as { text: string }).text]), [
    ["message/chunk", "ab"], ["thought/chunk", "c"], ["toolCall/updated", "de"], ["toolCall/updated", "f"], ["message/chunk", "g"],
  ]);
  assert.equal(merged[2]?.kind === "event" && (merged[2].params as { title?: string }).title, "T");
});

test("a conversation made from merged messages is the same", () => {
  const events = wholeTurn(new Numbered());
  const one = newConversation(session);
  for (const [method, params] of events) reduce(one, method, params);
  const other = newConversation(session);
  for (const m of coalesce(events.map(toView))) if (m.kind === "event") reduce(other, m.method, m.params);
  const bare = (c: typeof one): unknown => ({ ...c, items: c.items.map((i) => ({ ...i, startedAt: 0 })) });
  assert.deepEqual(bare(other), bare(one));
});
