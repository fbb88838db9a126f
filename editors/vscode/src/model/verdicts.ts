/** What rules and answers are called where a person reads them. */
import type { ApprovalAnswer, ApprovalOption, ApprovalRequestParams, RuleSource, Scope, Verdict } from "../protocol.gen.ts";
import type { Remembered } from "./conversation.ts";

export const verdictWords: { readonly [V in Verdict]: { readonly label: string; readonly icon: string } } = {
  deny: { label: "Forbidden", icon: "circle-slash" },
  ask: { label: "Asks", icon: "question" },
  allow: { label: "Allowed", icon: "check" },
};

export const sourceWords: { readonly [S in RuleSource]: string } = {
  factory: "built in",
  user: "your settings",
  flag: "the command line",
  repository: "the workspace's settings, which you trust",
  grantUser: "remembered for all workspaces",
  grantWorkspace: "remembered in this workspace",
  grantSession: "remembered for this session",
};

const scopeWords: { readonly [S in Scope]: string } = {
  once: "for once",
  session: "for this session",
  workspace: "in this workspace",
  user: "for all workspaces",
};

/** The option's yes holds for longer than this effect. */
export function isLasting({ scope }: ApprovalOption): boolean {
  return scope !== "once";
}

/** What an answer leaves behind, if it is a yes that lasts and counts. */
export function rememberedBy({ options }: ApprovalRequestParams, { outcome, optionId, rule }: ApprovalAnswer): Remembered | undefined {
  const option = outcome === "selected" ? options.find((o) => o.optionId === optionId) : undefined;
  if (option?.kind !== "allow" || !isLasting(option) || option.rule === undefined) return undefined;
  return { scope: option.scope, rule: rule ?? option.rule };
}

/** "Remembered in this workspace: git diff". */
export function rememberedWords({ scope, rule }: Remembered): string {
  return `Remembered ${scopeWords[scope]}: ${rule.trim().split("\n").join(", ")}`;
}

/** When a question was asked: the day too when it is not today. */
export function sinceWords(since: number, now: number): string {
  const then = new Date(since);
  const time = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const isToday = then.toDateString() === new Date(now).toDateString();
  return `since ${isToday ? "" : `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} `}${time}`;
}
