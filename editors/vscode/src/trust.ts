/** What the settings say, and what counts of it. */
import * as vscode from "vscode";
import { chosenModel } from "./model/model-setting.ts";
import { modeName, presetName } from "./model/modes.ts";
import { modes, presets, profiles } from "./protocol.gen.ts";
import { tell } from "./say.ts";
import type { Settings, Work } from "./work.ts";

/** A word that the wire does not know is as good as none: the careful default counts. */
export function readSettings(): Settings {
  const config = vscode.workspace.getConfiguration("drawbridge");
  const mode = config.get<string>("mode");
  const set = config.inspect<string>("preset")?.globalValue; // what nobody set is left to the bridge
  const preset = presets.find((p) => p === set);
  const profile = profiles.find((p) => p === config.get<string>("profile"));
  return {
    model: readModel(config),
    mode: modes.find((m) => m === mode) ?? "always-ask",
    ...(preset !== undefined && { preset }),
    ...(profile !== undefined && { profile }),
  };
}

function readModel(config: vscode.WorkspaceConfiguration): string {
  const set = config.inspect<unknown>("model");
  const word = (value: unknown): string => (typeof value === "string" ? value : "");
  return chosenModel({
    own: word(set?.globalValue), workspace: word(set?.workspaceFolderValue ?? set?.workspaceValue), trusted: vscode.workspace.isTrusted,
  });
}

/** Once the workspace is trusted, sessions become what the settings say. */
export function activateTrust(work: Work): vscode.Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(() => {
    void work.trust().then(() => {
      const { mode, preset = "workspace-write" } = readSettings();
      tell("information", `The workspace is trusted. Drawbridge's mode is now ${modeName(mode)}, its limits ${presetName(preset)}.`);
    });
  });
}
