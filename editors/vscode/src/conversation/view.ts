/**
 * The extension's side of the conversation view. The view holds a copy of one
 * conversation: it gets all of it once, then what happens. While it is hidden
 * it is gone, and begins again with all of it.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { coalesce } from "./coalesce.ts";
import type { FromView, Mention, ToView } from "./messages.ts";
import type { Link } from "../bridge/link.ts";
import type { Conversation } from "../model/conversation.ts";
import type { Desk } from "../model/desk.ts";
import type { Sessions, Update } from "../model/sessions.ts";
import type { Trusts } from "../model/trusts.ts";
import { modes, presets } from "../protocol.gen.ts";
import type { MarkBook } from "../review/marks.ts";
import { tell } from "../say.ts";

export interface ViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly link: Link;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly marks: MarkBook;
  readonly trusts: Trusts;
  readonly store: vscode.Memento;
  readonly hear: (message: FromView) => void;
}

interface Draft {
  readonly text: string;
  readonly mentions: readonly Mention[];
}

const draftKey = "drawbridge.draft";
const frameMs = 16;
/** The last lines of commands are shown so often, however fast they come. */
const lineMs = 150;

export class ConversationView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = "drawbridge.conversation";
  readonly #o: ViewOptions;
  readonly #owned: { dispose(): void }[];
  #view: vscode.WebviewView | undefined;
  /** The view has the snapshot and takes more. */
  #ready = false;
  #queue: ToView[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The last lines that the view has not, by session and terminal. */
  readonly #lines = new Map<string, Extract<ToView, { kind: "lastLine" }>>();
  #lineTimer: NodeJS.Timeout | undefined;
  /** For a view that is not there yet. */
  #later: ToView[] = [];

  constructor(o: ViewOptions) {
    this.#o = o;
    this.#owned = [
      o.sessions.onUpdate((id, update) => this.#update(id, update)),
      o.sessions.onShown(() => this.#snapshot()),
      o.link.onConnection((connection) => this.#post({ kind: "connection", connection })),
      o.marks.onChange((changeId) => this.#post({ kind: "marks", changeId, marks: this.#marksOf(changeId) })),
      o.trusts.onChange((trusts) => this.#post({ kind: "trusts", trusts })),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#snapshot()),
      vscode.window.registerWebviewViewProvider(ConversationView.id, this),
    ];
  }

  get visible(): boolean {
    return this.#view?.visible ?? false;
  }

  /** Shows the view and moves the keyboard into it. */
  async focus(what: "prompt" | "approval" | "sessions" | "trust" = "prompt", approvalId?: string): Promise<void> {
    await vscode.commands.executeCommand(`${ConversationView.id}.focus`);
    this.tell({ kind: "focus", what, ...(approvalId !== undefined && { approvalId }) });
  }

  /** Says something to the view, once it is there. */
  tell(message: ToView): void {
    if (this.#ready) this.#post(message);
    else this.#later.push(message);
  }

  /** One line in the view, or a message where nobody would see it. */
  trouble(text: string, hint?: string): void {
    if (this.#ready) this.#post({ kind: "trouble", text, ...(hint !== undefined && { hint }) });
    else tell("error", hint === undefined ? text : `${text} (${hint})`);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#ready = false;
    const dist = vscode.Uri.joinPath(this.#o.extensionUri, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: FromView) => this.#hear(message));
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#ready = false;
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#ready = false;
    });
    view.webview.html = page(view.webview, dist);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lineTimer);
    for (const d of this.#owned) d.dispose();
  }

  #hear(message: FromView): void {
    if (message.kind === "ready") {
      this.#ready = true;
      this.#snapshot();
      for (const waiting of this.#later.splice(0)) this.#post(waiting);
    }
    if (message.kind === "draft") {
      const draft: Draft = { text: message.text, mentions: message.mentions };
      void this.#o.store.update(draftKey, draft);
    }
    this.#o.hear(message);
  }

  #update(id: string, update: Update): void {
    if (!this.#o.sessions.isShown(id)) return;
    if (update.kind === "replaced") this.#replaced(id);
    else if (update.kind === "lastLine") this.#line({ ...update, sessionId: id });
    else if (update.kind === "withdrawn" || update.kind === "remembering") this.#post({ ...update, sessionId: id });
    else this.#post(update);
  }

  /** Of a subagent's conversation what was queued is in it already. */
  #replaced(id: string): void {
    const conversation = this.#o.sessions.get(id);
    if (!conversation?.session.origin) return this.#snapshot();
    for (const key of this.#lines.keys()) if (key.startsWith(`${id} `)) this.#lines.delete(key);
    this.#queue = this.#queue.filter((m) => !inSnapshot.has(m.kind) || aboutOf(m) !== id);
    this.#post({ kind: "child", conversation });
    this.#flush();
  }

  #line(line: Extract<ToView, { kind: "lastLine" }>): void {
    this.#lines.set(`${line.sessionId} ${line.terminalId}`, line);
    this.#lineTimer ??= setTimeout(() => {
      this.#lineTimer = undefined;
      for (const waiting of this.#lines.values()) this.#post(waiting);
      this.#lines.clear();
    }, lineMs);
  }

  /** What was queued is in the snapshot already, but for what is not about the conversation. */
  #snapshot(): void {
    if (!this.#ready) return;
    this.#lines.clear();
    this.#queue = this.#queue.filter((m) => !inSnapshot.has(m.kind));
    const conversation = this.#o.sessions.current ?? null;
    const draft = this.#o.store.get<Draft>(draftKey);
    const children = this.#children();
    const changes = [...(conversation ? [conversation] : []), ...children].flatMap(({ approvals }) => approvals.flatMap((a) => a.change ? [a.change.changeId] : []));
    this.#post({
      kind: "snapshot", conversation, children, connection: this.#o.link.connection, modes, presets,
      marks: Object.fromEntries(changes.map((id) => [id, this.#marksOf(id)])),
      trusted: vscode.workspace.isTrusted, trusts: this.#o.trusts.waiting, draft: draft?.text ?? "", mentions: draft?.mentions ?? [],
    });
    this.#flush(); // the conversation lives on, and what is sent is what it is now
  }

  #marksOf(changeId: string): ReturnType<MarkBook["marks"]> {
    const { sessions, marks } = this.#o;
    const shown = [...(sessions.current ? [sessions.current] : []), ...this.#children()].map(({ session }) => session.sessionId);
    const asks = shown.find((sessionId) => marks.question(changeId, { sessionId }));
    return asks === undefined ? {} : marks.marks(changeId, asks);
  }

  #children(): readonly Conversation[] {
    const { sessions } = this.#o;
    return sessions.current ? sessions.childrenOf(sessions.current.session.sessionId) : [];
  }

  #post(message: ToView): void {
    if (!this.#ready) return;
    this.#queue.push(message);
    this.#timer ??= setTimeout(() => this.#flush(), frameMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const queue = coalesce(this.#queue);
    this.#queue = [];
    for (const message of queue) void this.#view?.webview.postMessage(message);
  }
}

const inSnapshot: ReadonlySet<ToView["kind"]> = new Set(["event", "asked", "child", "withdrawn", "remembering", "queued", "lastLine"]);

/** Which session a message is about; undefined: the one that is shown. */
function aboutOf(message: ToView): string | undefined {
  if (message.kind === "event") return (message.params as { readonly sessionId: string }).sessionId;
  if (message.kind === "asked") return message.approval.sessionId;
  return "sessionId" in message ? message.sessionId : undefined;
}

/** Nothing from elsewhere, and no script but ours. */
function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const source = webview.cspSource;
  const policy = `default-src 'none'; style-src ${source}; font-src ${source}; img-src ${source} data:; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Conversation</title>
<link rel="stylesheet" href="${file("webview.css")}">
</head>
<body>
<main id="app"></main>
<script nonce="${nonce}" src="${file("webview.js")}"></script>
</body>
</html>`;
}
