/** What a button that helps does, and where links of the conversation lead. */
import * as vscode from "vscode";
import type { Bridge } from "./bridge/bridge.ts";
import type { Connection, FromView } from "./conversation/messages.ts";
import type { Log } from "./log.ts";
import { say } from "./say.ts";
import type { SettingsFiles } from "./settings.ts";

export interface HelpDeps {
  readonly extensionUri: vscode.Uri;
  readonly link: Bridge;
  readonly log: Log;
  readonly files: SettingsFiles;
}

/** One message that says why there is no bridge. */
export async function offerHelp(failed: Extract<Connection, { kind: "failed" }>, deps: HelpDeps): Promise<void> {
  const first = helpWords[failed.help];
  const choice = await say("error", `Drawbridge: ${failed.why}`, first, helpWords.restart);
  if (choice === helpWords.restart) await deps.link.restart();
  else if (choice !== undefined) await help(failed.help, deps);
}

export async function help(what: Extract<FromView, { kind: "help" }>["what"], { extensionUri, link, log, files }: HelpDeps): Promise<void> {
  switch (what) {
    case "install":
      await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(extensionUri, "README.md"));
      return;
    case "settings":
      await openSettings();
      return;
    case "settingsFile":
      await files.openProblem();
      return;
    case "log":
      log.channel.show();
      return;
    case "restart":
      await link.restart();
      return;
    case "trust":
      await vscode.commands.executeCommand("workbench.trust.manage");
      return;
  }
}

/** Where the program runs is where its path is set: on the other side, when there is one. */
async function openSettings(): Promise<void> {
  const side = vscode.env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
  await vscode.commands.executeCommand(`workbench.action.${side}`, { query: "@ext:drawbridge.drawbridge" });
}

/** Files are shown; of other addresses only those of the web are followed, after the editor asked. */
export async function open(address: string, line: number | undefined): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme === "http" || uri.scheme === "https") {
    await vscode.env.openExternal(uri);
  } else if (uri.scheme === "file" || uri.scheme === "untitled") {
    const at = new vscode.Position(line ?? 0, 0);
    await vscode.window.showTextDocument(uri, line === undefined ? {} : { selection: new vscode.Range(at, at) });
  } else {
    throw new Error(`${address} cannot be opened from here.`);
  }
}

const helpWords = { install: "How to Install", settings: "Open Settings", settingsFile: "Open Settings File", log: "Show Log", restart: "Try Again" } as const;
