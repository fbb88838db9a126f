/** What the status bar says: the worst that is true, then what waits for the person, then what goes on. */
import type { Conversation } from "./conversation.ts";
import { inertLabel, inertLines } from "./inert.ts";
import { runningCommands, runsAlone, waitingCommand } from "./running.ts";
import { worksAlone } from "./subagents.ts";
import { sinceWords } from "./verdicts.ts";
import type { Connection } from "../conversation/messages.ts";
import type { ApprovalRequestParams, State } from "../protocol.gen.ts";

export interface StatusLine {
  readonly text: string;
  readonly tooltip: string;
  readonly tone: "plain" | "warning" | "error";
  /** What a click does. Waiting leads to the terminal that waits. */
  readonly click: "open" | "nextQuestion" | "waiting" | "running";
}

/** All are the conversations of the window: commands run in those that are not shown, too. */
export function statusLine(
  connection: Connection, current: Conversation | undefined, questions: readonly ApprovalRequestParams[], all: readonly Conversation[] = [],
): StatusLine {
  const trouble = broken(connection);
  if (trouble) return trouble;
  if (questions.length > 0) {
    const words = questions.length === 1 ? "1 question" : `${questions.length} questions`;
    return { text: `$(question) Waiting for you: ${words}`, tooltip: waitingFor(questions), tone: "warning", click: "nextQuestion" };
  }
  if (connection.kind === "starting") return plain("$(loading~spin) Drawbridge", "Starting the bridge");
  const waiting = waitingCommand(all);
  if (waiting) {
    const tooltip = `${inertLabel(waiting.title)} waits for typing: show its terminal`;
    return { text: "$(keyboard) Waits for typing", tooltip, tone: "warning", click: "waiting" };
  }
  if (!current?.turnId) return idle(all.flatMap(runningCommands).filter(runsAlone).length, all.flatMap((c) => Object.values(c.subagents)).filter(worksAlone).length);
  const { state, detail, attempt, max } = current.state;
  const count = state === "retry" && attempt !== undefined ? ` ${attempt}${max === undefined ? "" : `/${max}`}` : "";
  return plain(`$(loading~spin) ${words[state]}${count}`, detail === "" ? "The agent works on its turn" : inertLines(detail));
}

/** So many questions are named. */
const most = 5;

function waitingFor(questions: readonly ApprovalRequestParams[]): string {
  const named = questions.slice(0, most).map((q) => `${inertLabel(q.command?.text ?? q.title)} (${q.origin ? `${inertLabel(q.origin.subagentId)}, ` : ""}${sinceWords(q.since, Date.now())})`);
  const rest = questions.length - named.length;
  return ["The agent waits for your answer:", ...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

function idle(commands: number, subagents: number): StatusLine {
  const alone = commands + subagents;
  if (alone === 0) return plain("$(comment-discussion) Drawbridge", "Open the conversation");
  const agents = subagents === 0 ? "" : subagents === 1 ? "1 subagent works" : `${subagents} subagents work`;
  const running = commands === 0 ? "" : commands === 1 ? "1 command runs" : `${commands} commands run`;
  const tooltip = `${[agents, running].filter(Boolean).join(" and ")} in the background: show or stop`;
  return { ...plain(`$(comment-discussion) Drawbridge $(server-process) ${alone}`, tooltip), click: "running" };
}

function broken(connection: Connection): StatusLine | undefined {
  if (connection.kind === "failed") {
    return { text: "$(error) Drawbridge", tooltip: inertLines(connection.why), tone: "error", click: "open" };
  }
  if (connection.kind !== "restarting") return undefined;
  const tooltip = inertLines(`Starting the bridge again: ${connection.why}`);
  return { text: "$(sync~spin) Drawbridge restarts", tooltip, tone: "warning", click: "open" };
}

function plain(text: string, tooltip: string): StatusLine {
  return { text, tooltip, tone: "plain", click: "open" };
}

const words: { readonly [S in State]: string } = {
  model: "Thinking", approval: "Waiting", tool: "Working", input: "Waiting for typing", retry: "Retrying",
  compacting: "Compacting", idle: "Working",
};
