/** The command that lists the rules: opens what people wrote, and forgets what was remembered. */
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { ruleEntries } from "./rules.ts";
import type { Deed } from "./rules.ts";
import type { Link } from "../bridge/link.ts";
import { inertCode } from "../model/inert.ts";
import { sourceWords } from "../model/verdicts.ts";
import type { Rule } from "../protocol.gen.ts";
import { confirm, mention, pick } from "../say.ts";
import type { Work } from "../work.ts";

/** A rule is of the session that is shown, its workspace and its user. */
export async function listRules(link: Link, work: Work): Promise<void> {
  const conversation = await work.ensure();
  if (!conversation) return;
  const { sessionId, cwd } = conversation.session;
  const listed = link.request("rules/list", { sessionId })
    .then(({ rules }) => ruleEntries(rules, { home: homedir(), cwd, join: path.join, isAbsolute: path.isAbsolute }));
  const deed = await pick(listed, { title: "Approval rules", placeHolder: "Opens where a rule is written; one that was remembered can be forgotten" });
  if (deed) await carryOut(deed, link, sessionId);
}

async function carryOut(deed: Deed, link: Link, sessionId: string): Promise<void> {
  if (deed.kind === "forget") return forget(deed.rule, link, sessionId);
  const { file, line, column } = deed.place;
  const at = new vscode.Position(line, column);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
}

async function forget({ rule, source }: Rule, link: Link, sessionId: string): Promise<void> {
  if (!(await confirm("Forget this rule?", `It is ${sourceWords[source]}. What it allows will be asked about again.`, "Forget", rule))) return;
  const { forgotten } = await link.request("rules/forget", { sessionId, rule, source });
  mention(forgotten ? `Forgotten: ${inertCode(rule)}` : "The rule was gone already.");
}
