/**
 * Launches one bridge and speaks to it with the editor's language client, which
 * keeps the documents in step. The client is made anew for each process, so it
 * never restarts anything by itself.
 */
import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { CancellationToken, CloseAction, ErrorAction, LanguageClient, Trace } from "vscode-languageclient/node";
import type {
  ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, ClientCapabilities, DynamicFeature, LanguageClientOptions,
  StaticFeature,
} from "vscode-languageclient/node";
import { begin } from "./begin.ts";
import { checkProtocol } from "./binary.ts";
import { LaunchError } from "./bridge.ts";
import type { Running } from "./bridge.ts";
import { Encodings } from "./encodings.ts";
import { Frames } from "./frames.ts";
import { endOf, kill, spawnBridge } from "./process.ts";
import type { End } from "./process.ts";
import type { Log } from "../log.ts";
import { refreshDocument } from "../refresh.ts";
import type { EventName } from "../model/conversation.ts";
import { protocolVersion } from "../protocol.gen.ts";
import type {
  ClientCapabilities as Announced, NotificationsToEditor, RequestsToEditor, SettingsChanged, TrustRequired,
} from "../protocol.gen.ts";

/** Answers what the bridge asks the editor. */
export type Answers = {
  readonly [M in keyof RequestsToEditor]: (
    params: RequestsToEditor[M]["params"], token: CancellationToken,
  ) => Promise<RequestsToEditor[M]["result"]>;
};

export interface LaunchOptions {
  readonly file: string;
  readonly env: { readonly [name: string]: string };
  /** The setting, read anew when settings change. */
  readonly trace: () => string;
  readonly log: Log;
  readonly answers: Answers;
  readonly event: (method: EventName, params: NotificationsToEditor[EventName]["params"]) => void;
  /** The workspace brings settings that the person has not answered about. */
  readonly trust: (required: TrustRequired) => void;
  /** Settings files were changed while the bridge runs. */
  readonly settings: (changed: SettingsChanged) => void;
  /** Comes when nobody waits for this process any more. */
  readonly signal: AbortSignal;
  /** Something about the version that a person should know. */
  readonly note: (text: string) => void;
}

export async function launchClient(o: LaunchOptions): Promise<Running> {
  const child = await spawnBridge(o.file, o.env, o.log);
  const ended = endOf(child);
  const stream = new Stream(child);
  const encodings = new Encodings((news) => void client.sendNotification("document/encoding", news).catch(() => undefined));
  const client = new QuietClient(child, o, { stream, encodings });
  for (const method of eventNames) client.onNotification(method, (params) => o.event(method, params));
  client.onNotification("trust/required", o.trust);
  client.onNotification("settings/changed", o.settings);
  for (const method of Object.keys(o.answers) as (keyof RequestsToEditor)[]) {
    client.onRequest(method, o.answers[method] as (params: unknown, token: CancellationToken) => Promise<unknown>);
  }
  try {
    await begin({ kill: () => kill(child), ended, initialize: () => client.start(), broken: stream.broken, signal: o.signal, ms: patienceMs });
    check(client, o);
  } catch (thrown) {
    kill(child);
    encodings.dispose();
    throw thrown;
  }
  const tracing = keepTracing(client, o.trace);
  void ended.then(() => vscode.Disposable.from(tracing, encodings).dispose());
  // What comes after something that is no message cannot be told from it any more.
  void stream.broken.then((why) => {
    o.log.write("error", `the connection to the bridge is given up: ${why}`);
    kill(child);
  });
  return {
    ended: ended.then(({ why }) => stream.why ?? why),
    request: (method, params) => client.sendRequest(method, params),
    notify: (method, params) => void client.sendNotification(method, params).catch(() => undefined),
    stop: () => stop(client, child, ended),
  };
}

/** Nothing but a bridge that hangs needs so long to introduce itself. */
const patienceMs = 15_000;

/** What the process writes for the client, and what is wrong with it. */
class Stream {
  readonly broken: Promise<string>;
  why: string | undefined;
  #tell: (why: string) => void = () => undefined;

  constructor(child: ChildProcess) {
    this.broken = new Promise((resolve) => { this.#tell = resolve; });
    const frames = new Frames();
    child.stdout?.on("data", (piece: Buffer) => {
      if (this.why !== undefined) return;
      const words = frames.take(piece);
      if (words !== undefined) this.break(`it wrote "${words}" where a message was due`);
    });
  }

  break(why: string): void {
    this.why ??= why;
    this.#tell(this.why);
  }
}

/** The bridge ends by itself within two seconds of shutdown; what does not is ended. */
async function stop(client: LanguageClient, child: ChildProcess, ended: Promise<End>): Promise<void> {
  const timer = setTimeout(() => kill(child), 4_000);
  await client.dispose(2_500).catch(() => undefined);
  child.stdin?.end();
  await ended;
  clearTimeout(timer);
}

function check(client: LanguageClient, o: LaunchOptions): void {
  const agreement = checkProtocol(client.initializeResult?.capabilities.experimental);
  if (agreement.kind === "unknown") throw new LaunchError(agreement.why, "settings");
  if (agreement.note) o.note(agreement.note);
}

/** The client sets its trace by settings of its own whenever any setting changes; ours is set after that. */
function keepTracing(client: LanguageClient, setting: () => string): vscode.Disposable {
  const set = (): void => void client.setTrace(traces[setting()] ?? Trace.Off).catch(() => undefined);
  set();
  return vscode.workspace.onDidChangeConfiguration(() => setTimeout(set));
}

/** A language client that leaves talking to people to us. */
class QuietClient extends LanguageClient {
  readonly #log: Log;

  constructor(child: ChildProcess, o: LaunchOptions, parts: Parts) {
    super("drawbridge", "Drawbridge", () => Promise.resolve(child), options(o, parts));
    this.#log = o.log;
    this.registerFeature(announcing);
  }

  /** Only what the bridge needs is announced; the rest would offer things that it does not have. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (feature === announcing || ("registrationType" in feature && needed.has(feature.registrationType.method))) {
      super.registerFeature(feature);
    }
  }

  /** Written as information: a person who set our setting wants to see it. A message with a key is named only. */
  override trace(message: string, data?: unknown): void {
    const secret = message.includes("model/key");
    this.#log.write("info", data === undefined || secret ? message : `${message}\n${String(data)}`);
  }

  override error(message: string, data?: unknown, _show?: boolean | "force"): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown, _show?: boolean): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown, _show?: boolean): void {
    super.info(message, data, false);
  }
}

/** What a client works with that is of its process alone. */
interface Parts {
  readonly stream: Stream;
  readonly encodings: Encodings;
}

function options(o: LaunchOptions, { stream, encodings }: Parts): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }],
    outputChannel: o.log.channel,
    initializationFailedHandler: () => false,
    // The process's standard error is read where it is spawned.
    stdioOptions: { stderr: () => undefined, stdout: () => undefined },
    errorHandler: {
      error: (fault, message) => {
        if (message === undefined) stream.break(fault.message); // it was read; what cannot be written is told by the process's end
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    middleware: {
      didOpen: async (document, next) => {
        await next(document);
        encodings.opened(document);
      },
      didClose: (document, next) => {
        encodings.closed(document);
        return next(document);
      },
      workspace: { handleApplyEdit: (params, next) => applyEdit(params, async (p) => next(p, CancellationToken.None)) },
    },
  };
}

/**
 * Applies an edit only to the very text it was made for. The client itself
 * would open a document that was closed meanwhile and edit it unseen. A document
 * without unsaved text that has fallen behind its file catches up first: edited
 * as it was, it could not be saved without overwriting the file.
 */
async function applyEdit(
  params: ApplyWorkspaceEditParams, next: (p: ApplyWorkspaceEditParams) => Promise<ApplyWorkspaceEditResult | Error>,
): Promise<ApplyWorkspaceEditResult> {
  const changes = params.edit.documentChanges ?? [];
  await Promise.all(changes.map((change) => "textDocument" in change && refreshDocument(change.textDocument.uri)));
  for (const change of changes) {
    if (!("textDocument" in change) || typeof change.textDocument.version !== "number") continue;
    const uri = vscode.Uri.parse(change.textDocument.uri).toString();
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri);
    if (!document) return refused("the document is not open any more");
    if (document.version !== change.textDocument.version) return refused("the document has changed");
  }
  try {
    const result = await next(params);
    if (result instanceof Error) return refused(result.message);
    return result.applied ? result : refused(result.failureReason ?? "the editor did not apply the edit");
  } catch (thrown) {
    return refused(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refused(failureReason: string): ApplyWorkspaceEditResult {
  return { applied: false, failureReason };
}

/** What this extension implements, and no more. */
const announced: Announced = {
  version: protocolVersion, approvals: true, review: true, terminals: true, events: true, saves: true, refreshes: true, diagnostics: true,
  trust: true,
};

const announcing: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, drawbridge: announced };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** The documents, the folders and the files on disk. */
const needed: ReadonlySet<string> = new Set([
  "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
  "notebookDocument/sync",
  "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
]);

const traces: { readonly [word: string]: Trace } = { off: Trace.Off, messages: Trace.Messages, verbose: Trace.Verbose };

/** An object, so that the compiler sees when one is missing. */
const eventNames = Object.keys({
  "session/updated": 0, "turn/started": 0, "turn/steered": 0, "turn/notified": 0, "state/changed": 0,
  "message/chunk": 0, "thought/chunk": 0, "toolCall/started": 0, "toolCall/updated": 0, "toolCall/completed": 0,
  "usage/updated": 0, "turn/completed": 0, "change/updated": 0, "approval/resolved": 0, "approval/reminder": 0,
  "subagent/updated": 0, "terminal/opened": 0, "terminal/output": 0, "terminal/updated": 0, "terminal/closed": 0,
} satisfies { [M in EventName]: 0 }) as EventName[];
