/** What a turn is called: the beginning of what the person said. */
import type { Conversation } from "../model/conversation.ts";
import { firstLine } from "../model/visible.ts";

export function turnTitle(conversation: Conversation | undefined, turnId: string): string {
  const origin = conversation?.session.origin;
  if (origin) return cut(firstLine(origin.title) || origin.subagentId); // no person said what it is to do
  const prompt = conversation?.items.find((item) => item.kind === "prompt" && item.turnId === turnId);
  const blocks = prompt?.kind === "prompt" ? prompt.blocks : [];
  const said = blocks.flatMap((b) => (b.type === "text" ? [b.text] : [])).join(" ").trim();
  if (said === "") return "A turn of its own"; // what a command in the background began, or one that was taken up
  return cut(firstLine(said));
}

function cut(line: string): string {
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

const most = 60;
