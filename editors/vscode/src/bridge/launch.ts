/** Which program is started, and with what: the settings and folders of this editor. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { chooseBinary, parseVersion } from "./binary.ts";
import type { Choice } from "./binary.ts";
import { LaunchError } from "./bridge.ts";
import type { Launch } from "./bridge.ts";
import { isOfMachine } from "./foreign.ts";
import { launchClient } from "./client.ts";
import type { Answers } from "./client.ts";
import { output } from "./process.ts";
import type { Log } from "../log.ts";
import type { SettingsChanged, TrustRequired } from "../protocol.gen.ts";
import { tell } from "../say.ts";

/** What a bridge says that is about no session. */
export interface Hearers {
  readonly trust: (required: TrustRequired) => void;
  readonly settings: (changed: SettingsChanged) => void;
}

/** Finds and checks the program anew each time: it may have been installed meanwhile. */
export function launcher(context: vscode.ExtensionContext, log: Log, answers: Answers, { trust, settings }: Hearers): Launch {
  return async (event, signal) => {
    const choice = findProgram(context);
    if (choice.kind === "missing") throw new LaunchError(choice.why, choice.help);
    const printed = await output(choice.file, ["version"], "", 10_000, signal).catch((thrown: unknown) => {
      throw new LaunchError(`${choice.file} cannot be run: ${thrown instanceof Error ? thrown.message : String(thrown)}`, "settings");
    });
    const version = parseVersion(printed);
    if (version === undefined) throw new LaunchError(`${choice.file} is not drawbridge.`, "settings");
    log.write("info", `starting drawbridge ${version} (${choice.from}: ${choice.file})`);
    return launchClient({
      file: choice.file, log, answers, event, trust, settings, signal,
      env: vscode.workspace.getConfiguration("drawbridge").get<Record<string, string>>("env", {}),
      trace: () => vscode.workspace.getConfiguration("drawbridge").get<string>("trace", "off"),
      note: (text) => tell("warning", text),
    });
  };
}

export function findProgram(context: vscode.ExtensionContext): Choice {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const name = process.platform === "win32" ? "drawbridge.exe" : "drawbridge";
  return chooseBinary({
    setting: vscode.workspace.getConfiguration("drawbridge").get<string>("path", "").trim(),
    bundled: context.asAbsolutePath(path.join("bin", name)),
    path: (process.env["PATH"] ?? "").split(path.delimiter),
    name, home: homedir(), join: path.join, isAbsolute: path.isAbsolute, runnable, ofMachine: (file) => isOfMachine(file, roots, real),
  });
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
