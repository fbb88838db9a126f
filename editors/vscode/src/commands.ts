/** The commands of the palette, the menus and the keys. Each exists from the start, also while there is no bridge. */
import * as vscode from "vscode";
import { toBridgeError } from "./bridge/link.ts";
import type { Bridge } from "./bridge/bridge.ts";
import type { ConversationView } from "./conversation/view.ts";
import type { Keys } from "./keys.ts";
import type { Log } from "./log.ts";
import { fileMention, selectionMention } from "./mentions.ts";
import type { TerminalInfo } from "./model/conversation.ts";
import type { Desk, QuestionName } from "./model/desk.ts";
import { standingWords } from "./model/running.ts";
import type { CommandName } from "./model/running.ts";
import { modeName, modeWords } from "./model/modes.ts";
import { aboutModel } from "./model/models.ts";
import { profileWords } from "./model/profiles.ts";
import { replaceable } from "./model/reduce.ts";
import { shownIn } from "./model/subagents.ts";
import type { Sessions } from "./model/sessions.ts";
import { modes, profiles } from "./protocol.gen.ts";
import type { Session } from "./protocol.gen.ts";
import type { Running } from "./running.ts";
import type { SettingsFiles } from "./settings.ts";
import { ask, pick, tell } from "./say.ts";
import type { Entry } from "./say.ts";
import { exitWords } from "./terminals/words.ts";
import type { Work } from "./work.ts";

export interface CommandDeps {
  readonly bridge: Bridge;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly view: ConversationView;
  readonly work: Work;
  readonly keys: Keys;
  readonly log: Log;
  readonly running: Running;
  readonly settings: SettingsFiles;
  readonly showTerminal: (name: CommandName) => Promise<void>;
  readonly rules: () => Promise<void>;
  readonly report: () => Promise<void>;
}

export function activateCommands(deps: CommandDeps): vscode.Disposable {
  const { bridge, view, work, keys, log } = deps;
  const commands: { readonly [name: string]: (...args: never[]) => unknown } = {
    open: () => view.focus(),
    newSession: async () => {
      await work.newSession();
      await view.focus();
    },
    newSessionWith: (profile?: unknown) => newSessionWith(deps, profile),
    openSettings: () => deps.settings.open(),
    sessions: () => pickSession(deps),
    stop: () => work.stop(),
    continue: () => work.continue(),
    resendLast: () => resendLast(deps),
    addSelection: () => addSelection(view),
    addFile: (uri?: vscode.Uri) => addFile(view, uri),
    selectMode: () => selectMode(deps),
    selectModel: (how?: unknown) => selectModel(deps, how),
    setKey: (provider?: unknown) => keys.set(typeof provider === "string" ? provider : undefined),
    forgetKey: () => keys.forget(),
    showLog: () => log.channel.show(),
    report: () => deps.report(),
    restart: () => bridge.restart(),
    nextQuestion: (name?: unknown) => nextQuestion(deps, name),
    showTerminal: (name?: unknown) => showTerminal(deps, name),
    running: () => deps.running.pick(),
    rules: () => deps.rules(),
  };
  return vscode.Disposable.from(...Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`drawbridge.${name}`, (...args: never[]) => told(run, args))));
}

/** A command that fails says so once, in words of ours. */
async function told(run: (...args: never[]) => unknown, args: never[]): Promise<void> {
  try {
    await run(...args);
  } catch (thrown) {
    const { message, hint } = toBridgeError(thrown);
    tell("error", hint === undefined ? message : `${message}. ${hint}`);
  }
}

async function pickSession({ sessions, view, work }: CommandDeps): Promise<void> {
  const current = sessions.current?.session.sessionId;
  const listed = work.list().then((all) => [
    { icon: "add", label: "New session", value: "" },
    ...all.map((s) => ({ label: s.title || "New session", description: aboutSession(s, current), value: s.sessionId })),
  ]);
  const id = await pick(listed, { title: "Sessions", placeHolder: "Which one shall be shown?" });
  if (id === undefined) return;
  if (id === "") await work.newSession();
  else await work.switchTo(id);
  await view.focus();
}

function aboutSession(s: Session, current: string | undefined): string {
  const shown = s.sessionId === current ? "shown · " : "";
  const state = s.state === "idle" ? "" : " · running";
  const model = s.model.split(/[:/\\]/).at(-1);
  return `${shown}${new Date(s.updatedAt).toLocaleString()}${model ? ` · ${model}` : ""}${state}`;
}

async function newSessionWith({ sessions, view, work }: CommandDeps, wanted: unknown): Promise<void> {
  const now = sessions.current?.session.profile;
  const entries = profiles.map((profile) => {
    const { label, detail } = profileWords[profile];
    return { icon: profile === now ? "check" : "tools", label, description: profile, detail, value: profile };
  });
  const profile = profiles.find((p) => p === wanted)
    ?? await pick(entries, { title: "New session", placeHolder: "Which tools shall the model have? A session keeps them." });
  if (profile === undefined) return;
  await work.newSessionWith(profile);
  await view.focus();
}

/** The prompt goes back into the prompt box of its own turn; the view does that where it stands. */
async function resendLast({ sessions, view }: CommandDeps): Promise<void> {
  const conversation = sessions.current;
  const turnId = conversation && replaceable(conversation);
  if (turnId === undefined) throw new Error("There is no prompt that could be sent again.");
  await view.focus();
  view.tell({ kind: "focus", what: "resend" });
}

async function addSelection(view: ConversationView): Promise<void> {
  const mention = selectionMention(vscode.window.activeTextEditor);
  if (!mention) throw new Error("Nothing is selected: mark some text in an editor first.");
  view.tell({ kind: "mention", mention });
  await view.focus();
}

async function addFile(view: ConversationView, uri?: vscode.Uri): Promise<void> {
  const file = uri instanceof vscode.Uri ? uri : vscode.window.activeTextEditor?.document.uri;
  if (file?.scheme !== "file") throw new Error("No file is open.");
  view.tell({ kind: "mention", mention: fileMention(file) });
  await view.focus();
}

async function selectMode({ sessions, work }: CommandDeps): Promise<void> {
  const now = sessions.current?.session.mode;
  const items = modes.map((mode) => ({
    label: modeName(mode), description: mode === now ? "now" : "", detail: modeWords[mode].detail, value: mode,
  }));
  const mode = await pick(items, { title: "Mode of this session", placeHolder: "Who answers when an effect needs a yes?" });
  if (mode) await work.configure({ mode });
}

interface ModelPick {
  readonly id?: string;
  readonly provider?: string;
  readonly other?: true;
}

async function selectModel({ bridge, sessions, work }: CommandDeps, how: unknown): Promise<void> {
  const now = sessions.current?.session.model || sessions.current?.modelNow || "";
  const chosen: ModelPick | undefined = how === "other" ? { other: true } : await pickModel(bridge, now);
  const id = chosen?.other ? await askForModel(now) : chosen?.id;
  if (id) await work.configure({ model: id });
  else if (chosen?.provider !== undefined) await vscode.commands.executeCommand("drawbridge.setKey", chosen.provider);
}

/** The current one, what can be asked, any other by its name, then what lacks a key. */
async function pickModel(bridge: Bridge, now: string): Promise<ModelPick | undefined> {
  const listed = bridge.request("model/list", {}).then(({ models, providers }): Entry<ModelPick>[] => [
    ...(now === "" ? [] : [{ label: now, description: "now", value: { id: now } }]),
    ...models.filter((m) => m.id !== now).map((m) => ({ label: m.name, description: [m.provider, aboutModel(m)].filter(Boolean).join(" · "), value: { id: m.id } })),
    { icon: "edit", label: "Other model…", description: "PROVIDER:NAME", value: { other: true } },
    ...providers.filter((p) => !p.ready).map((p) => ({
      icon: "key", label: `${p.name}: set a key…`, description: "not ready", detail: p.hint ?? "", value: { provider: p.name },
    })),
  ]);
  return pick(listed, { title: "Model of this session", placeHolder: "Which model shall answer?" });
}

async function askForModel(now: string): Promise<string | undefined> {
  const typed = await ask({
    title: "Model of this session", value: now, prompt: "PROVIDER:NAME, such as openai-chat:qwen3 or script:/path/to/file",
    validateInput: (value) => (/^[^:\s]+:.+$/.test(value.trim()) ? undefined : "A provider, a colon and the name of a model."),
  });
  return typed?.trim();
}

/** To the named question when it is still open, else to the next one of the session that is shown, else of another. */
async function nextQuestion({ desk, sessions, view, work }: CommandDeps, name: unknown): Promise<void> {
  const here = sessions.current?.session.sessionId;
  const named = isName(name) ? desk.get(name) : undefined;
  if (!named && desk.pending.some((q) => shownIn(q) === here)) return view.focus("approval"); // it knows which was last
  const question = named ?? desk.pending[0];
  if (!question) return view.focus();
  if (shownIn(question) !== here) await work.switchTo(shownIn(question));
  await view.focus("approval", question.approvalId);
}

function isName(thing: unknown): thing is QuestionName {
  return typeof thing === "object" && thing !== null && "sessionId" in thing && "approvalId" in thing;
}

async function showTerminal({ sessions, showTerminal: show }: CommandDeps, name: unknown): Promise<void> {
  if (isCommandName(name)) return show(name);
  const { current } = sessions;
  const own = current ? [current, ...sessions.childrenOf(current.session.sessionId)] : [];
  const items = own.flatMap((c) => Object.values(c.terminals).reverse().map((t) => ({
    label: t.title, description: [aboutTerminal(t), c.session.origin?.subagentId].filter(Boolean).join(" · "),
    value: { sessionId: c.session.sessionId, terminalId: t.terminalId },
  })));
  if (items.length === 0) throw new Error("No command has run in this session.");
  const chosen = await pick(items, { title: "Terminals", placeHolder: "Which command?" });
  if (chosen) await show(chosen);
}

function aboutTerminal(t: TerminalInfo): string {
  if (t.over) return t.exit ? exitWords(t.exit) : "ended";
  return standingWords(t) || "runs";
}

function isCommandName(thing: unknown): thing is CommandName {
  return typeof thing === "object" && thing !== null && "sessionId" in thing && "terminalId" in thing;
}
