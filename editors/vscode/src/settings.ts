/**
 * The settings files of the bridge: what is wrong with them stands in them and
 * in the list of problems, and a command opens one, made first where it is not
 * there.
 */
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Connection } from "./conversation/messages.ts";
import { appliedWords, newFile, placelessWords, problemIn, rangeOf, refusedWords, userSettingsPath } from "./model/settings-words.ts";
import type { SettingsChanged, SettingsProblem } from "./protocol.gen.ts";
import { mention, pick, say, tell } from "./say.ts";

export class SettingsFiles implements vscode.Disposable {
  readonly #problems = vscode.languages.createDiagnosticCollection("drawbridge");
  readonly #saves: vscode.Disposable;
  /** Why no bridge starts. */
  #fatal: SettingsProblem | undefined;

  /** Mended is called when a file was saved whose fault kept the bridge from starting. */
  constructor(mended: () => void) {
    this.#saves = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (this.#fatal && uri.fsPath === vscode.Uri.file(this.#fatal.file).fsPath) mended();
    });
  }

  dispose(): void {
    this.#saves.dispose();
    this.#problems.dispose();
  }

  /** A bridge that is there has read them; of one that does not start the reason may lie in them. */
  connection(connection: Connection): void {
    if (connection.kind === "starting") return;
    this.#fatal = connection.kind === "failed" ? problemIn(connection.why) : undefined;
    this.#show(this.#fatal ? [this.#fatal] : []);
  }

  /** Leads to the fault for which no bridge starts. */
  async openProblem(): Promise<void> {
    if (this.#fatal) await lead(this.#fatal);
    else await this.open();
  }

  changed(news: SettingsChanged): void {
    this.#show(news.problems);
    const placeless = news.problems.filter(({ file }) => file === "");
    if (placeless.length > 0) tell("warning", placelessWords(placeless));
    if (news.applied) mention(appliedWords(news), 10_000);
    else void this.#tell(news);
  }

  /** Opens the settings of the person, or those of a folder of the workspace. */
  async open(): Promise<void> {
    const entries = files();
    const only = entries.length === 1 ? entries[0]?.value : undefined;
    const chosen = only ?? await pick(entries, { title: "Drawbridge's settings", placeHolder: "Which file?" });
    if (chosen) await openOrMake(chosen);
  }

  #show(problems: readonly SettingsProblem[]): void {
    this.#problems.clear();
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const problem of problems.filter(({ file }) => file !== "")) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), diagnosticOf(problem)]);
    for (const [file, all] of byFile) this.#problems.set(vscode.Uri.file(file), all);
  }

  async #tell(news: SettingsChanged): Promise<void> {
    const first = news.problems.find(({ warning }) => !warning);
    const buttons = first ? (["Open"] as const) : [];
    if ((await say("warning", refusedWords(news), ...buttons)) === "Open" && first) await lead(first);
  }
}

async function lead(problem: SettingsProblem): Promise<void> {
  const { line, from } = rangeOf(problem);
  const at = new vscode.Position(line, from);
  await vscode.window.showTextDocument(vscode.Uri.file(problem.file), { selection: new vscode.Range(at, at) });
}

function diagnosticOf(problem: SettingsProblem): vscode.Diagnostic {
  const { line, from, to } = rangeOf(problem);
  const { Error: fault, Warning } = vscode.DiagnosticSeverity;
  const diagnostic = new vscode.Diagnostic(new vscode.Range(line, from, line, to), problem.message, problem.warning ? Warning : fault);
  diagnostic.source = "drawbridge";
  return diagnostic;
}

interface SettingsFile {
  readonly file: string;
  readonly whose: keyof typeof newFile;
}

function files() {
  const env = { ...process.env, ...vscode.workspace.getConfiguration("drawbridge").get<Record<string, string>>("env", {}) };
  const own = userSettingsPath(env, homedir(), path.isAbsolute);
  const folders = vscode.workspace.workspaceFolders ?? [];
  return [
    ...(own === undefined ? [] : [{ icon: "account", label: "Your own settings", description: own, value: { file: own, whose: "user" } satisfies SettingsFile as SettingsFile }]),
    ...folders.map(({ name, uri }) => {
      const file = path.join(uri.fsPath, ".drawbridge", "config.yaml");
      const value: SettingsFile = { file, whose: "workspace" };
      return { icon: "root-folder", label: `Settings of ${name}`, description: file, value };
    }),
  ];
}

/** A file that is there is opened as it is, whatever it is. */
async function openOrMake({ file, whose }: SettingsFile): Promise<void> {
  const uri = vscode.Uri.file(file);
  if (!(await exists(uri))) {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(path.dirname(file)));
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(newFile[whose]) });
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(`${file} cannot be made`);
  }
  await vscode.window.showTextDocument(uri);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
