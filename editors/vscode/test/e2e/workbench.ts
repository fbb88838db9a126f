/**
 * A workbench for one file of tests: the real server with the packed extension
 * installed into it, and a browser. Everything it makes lies under one folder
 * whose name no other run has, so that what is left of it can be found, by
 * command line and environment, and ended.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { patienceMs, processesOf, read, until } from "./processes.ts";

const extension = resolve(import.meta.dirname, "../..");
const server = resolve(extension, "../../.tools/code-server/node_modules/code-server/out/node/entry.js");

/** Where screenshots and logs go; git ignores it. */
export const out = join(extension, "test/out/e2e");

export interface Setup {
  /** User settings besides the usual ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Ask whether folders are trusted, as an editor does by default. */
  readonly trust?: boolean;
  /** The person's settings of the bridge. */
  readonly bridge?: string;
  /** Environment of the server, and so of the extension. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What is missing for these tests to run, in words; undefined: nothing. */
export function missing(): string | undefined {
  if (!existsSync(server)) return "no workbench in .tools/code-server (scripts/install-code-server.sh)";
  if (!browserPath()) return "no Chromium on the PATH (scripts/install-code-server.sh)";
  if (!packed()) return "no packed extension (make vsix)";
  return undefined;
}

export class Workbench {
  readonly folder: string;
  readonly browser: Browser;
  readonly #process: ChildProcess;
  readonly #port: number;

  private constructor(folder: string, port: number, process: ChildProcess, browser: Browser) {
    this.folder = folder;
    this.browser = browser;
    this.#port = port;
    this.#process = process;
  }

  static async start(setup: Setup = {}): Promise<Workbench> {
    const folder = mkdtempSync(join(tmpdir(), "drawbridge-e2e-"));
    endWithTests(folder);
    try {
      writeSettings(folder, setup);
      bridgeSettings(folder, setup.bridge ?? "");
      const vsix = packed();
      if (!vsix) throw new Error(missing());
      installExtension(folder, vsix);
      const port = await freePort();
      const child = serve(folder, port, setup.env ?? {});
      await answers(port, child);
      return new Workbench(folder, port, child, await chromium.launch({ executablePath: browserPath()!, args: browserArgs }));
    } catch (error) {
      await endAll(folder);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Sets what the person has set for all workspaces. */
  set(settings: Readonly<Record<string, unknown>>): void {
    const file = join(this.folder, "data/User/settings.json");
    const before = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...before, ...settings }, null, 2));
  }

  /** Sets what the person has set for the bridge, and says in which file. */
  configure(yaml: string): string {
    return bridgeSettings(this.folder, yaml);
  }

  /** A workspace of its own with these files, and settings that count in it alone. */
  workspace(name: string, files: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>> = {}): string {
    const folder = join(this.folder, "ws", name);
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(resolve(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    mkdirSync(join(folder, ".vscode"), { recursive: true });
    writeFileSync(join(folder, ".vscode/settings.json"), JSON.stringify(settings, null, 2));
    return folder;
  }

  address(workspace: string): string {
    return `http://127.0.0.1:${this.#port}/?folder=${encodeURIComponent(workspace)}`;
  }

  /** The bridges that run for this workbench. */
  bridges(): number[] {
    return processesOf(this.folder).filter((p) => /\/drawbridge\0serve/.test(p.command)).map((p) => p.pid);
  }

  /** The bridge of the only window. The one of a window that was loaded anew may live on for some seconds. */
  async theBridge(): Promise<number> {
    await until(() => this.bridges().length === 1, "a bridge and no other");
    return this.bridges()[0]!;
  }

  async killTheBridge(): Promise<number> {
    const bridge = await this.theBridge();
    process.kill(bridge, "SIGKILL");
    return bridge;
  }

  /** Waits until the bridge has written down what the model says in this moment: a kill loses what it has not. */
  writesDown(text: string): Promise<void> {
    const drafts = (): string[] => this.#stateFiles().filter((path) => path.endsWith("/draft"));
    return until(() => drafts().some((path) => read(path).includes(text)), `"${text}" on the disk`);
  }

  /** Waits until the editor has kept an unsaved text for the next window: it does so some time after it was typed. */
  keepsUnsaved(text: string): Promise<void> {
    const backups = join(this.folder, "data/User/Backups");
    return until(() => filesIn(backups).some((path) => read(path).includes(text)), `"${text}" kept for the next window`);
  }

  #stateFiles(): string[] {
    return filesIn(join(this.folder, "home/.local/state/drawbridge"));
  }

  serverLog(): string {
    return readFileSync(join(this.folder, "server.log"), "utf8");
  }

  /** What the bridge wrote into its own log, of all runs. */
  bridgeLogs(): string {
    return this.#stateFiles()
      .filter((path) => path.endsWith(".log"))
      .map((path) => `== ${path}\n${read(path)}`).join("\n");
  }

  /** Ends it as a person does, by closing the windows, and says which bridges outlived that. */
  async stop(): Promise<void> {
    await this.browser.close();
    let left = "";
    try {
      await until(() => this.bridges().length === 0, "the end of the bridges");
    } catch {
      left = `bridges ${this.bridges().join(", ")} live on after every window was closed`;
    }
    if (this.#process.pid) kill(-this.#process.pid, "SIGTERM");
    await endAll(this.folder);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (left) throw new Error(left);
  }
}

const browserArgs = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--font-render-hinting=none",
];

function browserPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** The extension as it is given to people, for this platform. */
function packed(): string | undefined {
  const start = `drawbridge-${process.platform}-${process.arch}-`;
  const name = readdirSync(extension).find((file) => file.startsWith(start) && file.endsWith(".vsix"));
  return name && join(extension, name);
}

/** The files in a folder and below; none where there is no folder yet. Some may go while they are listed. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
    });
  } catch {
    return [];
  }
}

/** Writes the person's settings of the bridge, and says where. */
function bridgeSettings(folder: string, yaml: string): string {
  const settings = join(folder, "home/.config/drawbridge");
  mkdirSync(settings, { recursive: true });
  const file = join(settings, "config.yaml");
  writeFileSync(file, yaml);
  return file;
}

function writeSettings(folder: string, setup: Setup): void {
  mkdirSync(join(folder, "data/User"), { recursive: true });
  mkdirSync(join(folder, "home"), { recursive: true });
  // What is of the machine counts from here alone once the window knows that it is remote.
  mkdirSync(join(folder, "data/Machine"), { recursive: true });
  writeFileSync(join(folder, "data/Machine/settings.json"), JSON.stringify(setup.settings ?? {}, null, 2));
  writeFileSync(join(folder, "data/User/settings.json"), JSON.stringify({
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "workbench.enableExperiments": false,
    "workbench.reduceMotion": "on",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "security.workspace.trust.enabled": setup.trust ?? false,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": false,
    "extensions.autoCheckUpdates": false,
    "extensions.ignoreRecommendations": true,
    "chat.disableAIFeatures": true,
    "git.enabled": false,
    "editor.accessibilitySupport": "off",
    "editor.minimap.enabled": false,
    "terminal.integrated.gpuAcceleration": "off",
    "files.autoSave": "off",
    "remote.autoForwardPorts": false,
    ...setup.settings,
  }, null, 2));
}

function installExtension(folder: string, vsix: string): void {
  const run = spawnSync(process.execPath, [server, ...folders(folder), "--install-extension", vsix], {
    env: environment(folder, {}), encoding: "utf8", timeout: 2 * patienceMs,
  });
  if (run.status !== 0) throw new Error(`the packed extension does not install:\n${run.stdout}${run.stderr}`);
}

function serve(folder: string, port: number, env: Readonly<Record<string, string>>): ChildProcess {
  const log = join(folder, "server.log");
  writeFileSync(log, "");
  // In a group of its own, so that its extension hosts end with it. The grace
  // time is how long a closed window's extension host waits for it to return.
  const child = spawn("/bin/sh", ["-c", `exec "$@" >>"${log}" 2>&1`, "sh", process.execPath, server, ...folders(folder),
    "--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check",
    "--disable-getting-started-override", "--reconnection-grace-time", "3", "--ignore-last-opened",
  ], { detached: true, env: environment(folder, env), stdio: "ignore" });
  child.unref();
  return child;
}

function folders(folder: string): string[] {
  return ["--user-data-dir", join(folder, "data"), "--extensions-dir", join(folder, "extensions")];
}

/** A person's environment without anything of this machine's: no keys, no settings. */
function environment(folder: string, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"], LANG: "C.UTF-8", SHELL: "/bin/bash", TMPDIR: tmpdir(),
    HOME: join(folder, "home"), EXTENSIONS_GALLERY: "{}", ...env,
  };
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return await fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok, () => false);
  }, "an answer of the server");
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().once("error", failed).listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Tests that are stopped by a signal leave nothing behind either. */
function endWithTests(folder: string): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      for (const { pid } of processesOf(folder)) kill(pid, "SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      process.exit(1);
    });
  }
}

async function endAll(folder: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (let tries = 0; tries < 20; tries++) {
      const left = processesOf(folder);
      if (left.length === 0) return;
      if (tries === 0) for (const { pid } of left) kill(pid, signal);
      await pause(100);
    }
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

