/** "Report a problem": gathers what helps into a document that the person reads before it goes anywhere. */
import { arch, platform, release } from "node:os";
import * as vscode from "vscode";
import type { Choice } from "./bridge/binary.ts";
import { output } from "./bridge/process.ts";
import type { Connection } from "./conversation/messages.ts";
import type { Log } from "./log.ts";
import { tell, whileDoing } from "./say.ts";

export interface ReportOptions {
  readonly version: string;
  readonly choice: () => Choice;
  readonly connection: () => Connection;
  readonly log: Log;
}

export async function report(o: ReportOptions): Promise<void> {
  const content = await whileDoing("Gathering the report…", () => gather(o));
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  await vscode.window.showTextDocument(document);
  tell("information", "This is all that would be shared. Read it, and take out what you would not show.");
}

/** The bridge takes secrets out of what it says and of what we say; without it our log stays out. */
async function gather(o: ReportOptions): Promise<string> {
  const here = facts(o);
  const choice = o.choice();
  if (choice.kind === "missing") return `${here}\n${choice.why}\n`;
  try {
    return await output(choice.file, ["report"], `${here}\nLog of the extension:\n\n${o.log.tail}\n`, 20_000);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split("\n", 1)[0] : String(thrown);
    return `${here}\nThe bridge could not make its part of the report: ${why}\n`;
  }
}

function facts(o: ReportOptions): string {
  const connection = o.connection();
  const why = "why" in connection ? `: ${connection.why}` : "";
  return [
    `- Extension ${o.version}`,
    `- ${vscode.env.appName} ${vscode.version}${vscode.env.remoteName ? `, remote: ${vscode.env.remoteName}` : ""}`,
    `- ${platform()} ${release()} ${arch()}, Node ${process.versions.node}`,
    `- Connection: ${connection.kind}${why}`,
    `- Workspace: folders: ${vscode.workspace.workspaceFolders?.length ?? 0}, ${vscode.workspace.isTrusted ? "" : "not "}trusted`,
    "",
  ].join("\n");
}
