/**
 * The rewind of a turn or of a session: which checkpoint, what that would do to
 * each file, and then, when a person says so, the doing. Nothing is done that
 * was not shown: when anything is different by then, it is shown anew.
 */
import * as vscode from "vscode";
import { toBridgeError } from "../bridge/link.ts";
import type { Link } from "../bridge/link.ts";
import type { Sessions } from "../model/sessions.ts";
import type { Checkpoint, CheckpointPreviewParams, CheckpointRestoreResult, RewindFile } from "../protocol.gen.ts";
import { menu, mention, pick, say } from "../say.ts";
import type { Entry } from "../say.ts";
import type { RewindDocuments } from "./documents.ts";
import { afterWords, checkpointWords, doubtfulWords, fileWords, goWords, icons, nothingWords, titleOf } from "./words.ts";

export interface RewindDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly documents: RewindDocuments;
}

/** What is chosen in the list of files. */
type Choice = { readonly kind: "go" } | { readonly kind: "only" | "doubtful" } | { readonly kind: "file"; readonly file: RewindFile } | { readonly kind: "nothing" };

interface Plan {
  readonly checkpoint: Checkpoint;
  readonly params: CheckpointPreviewParams;
  /** Turns came after it, which could be left as they are. */
  readonly hasLater: boolean;
}

/** Lets a person choose what to go back to. */
export async function rewind(deps: RewindDeps): Promise<void> {
  const { sessionId, checkpoints } = await list(deps);
  if (checkpoints.length === 0) return mention("Nothing to rewind: the agent has changed no file in this session.");
  const now = Date.now();
  const entries = checkpoints.toReversed().map((c) => ({ ...checkpointWords(c, now), value: c }));
  const checkpoint = await pick(entries, { title: "Rewind", placeHolder: "Which state shall the files that the agent changed go back to?" });
  if (checkpoint) await begin(deps, sessionId, checkpoint, checkpoints);
}

/** Goes back to before a turn. */
export async function rewindTurn(deps: RewindDeps, turnId: string): Promise<void> {
  const { sessionId, checkpoints } = await list(deps);
  const checkpoint = checkpoints.find((c) => c.turnId === turnId);
  if (!checkpoint) throw new Error("this turn wrote no file that is kept");
  await begin(deps, sessionId, checkpoint, checkpoints);
}

async function list({ link, sessions }: RewindDeps): Promise<{ sessionId: string; checkpoints: readonly Checkpoint[] }> {
  const sessionId = sessions.current?.session.sessionId;
  if (sessionId === undefined) throw new Error("no session is shown");
  return { sessionId, ...(await link.request("checkpoint/list", { sessionId })) };
}

function begin(deps: RewindDeps, sessionId: string, checkpoint: Checkpoint, all: readonly Checkpoint[]): Promise<void> {
  if (checkpoint.gone) throw new Error("what the files held is not kept any more");
  const params = { sessionId, checkpointId: checkpoint.checkpointId };
  return goThrough(deps, { checkpoint, params, hasLater: all.at(-1) !== checkpoint });
}

async function goThrough(deps: RewindDeps, plan: Plan): Promise<void> {
  try {
    const result = await decide(deps, plan);
    if (result) void tellAfter(deps, plan, result);
  } finally {
    await deps.documents.close();
  }
}

/** Shows what would be done until a person says yes to just that, or nothing. */
async function decide(deps: RewindDeps, first: Plan): Promise<CheckpointRestoreResult | undefined> {
  const { link } = deps;
  let plan = first;
  let news = "";
  for (;;) {
    const { files, digest } = await link.request("checkpoint/preview", plan.params);
    const choice = await choose(deps, plan, files, news);
    if (choice?.kind === "only" || choice?.kind === "doubtful") {
      plan = { ...plan, params: { ...plan.params, [choice.kind]: true } };
      news = "";
      continue;
    }
    if (choice?.kind !== "go") return undefined;
    try {
      return await link.request("checkpoint/restore", { ...plan.params, digest });
    } catch (thrown) {
      if (toBridgeError(thrown).kind !== "stale") throw thrown;
      news = "Something changed meanwhile and nothing was done. Look again: ";
    }
  }
}

function choose(deps: RewindDeps, { checkpoint, params, hasLater }: Plan, files: readonly RewindFile[], news: string): Promise<Choice | undefined> {
  const only = params.only ?? false;
  const go = goWords(files);
  const spared = doubtfulWords(files, params.doubtful ?? false);
  const entries: Entry<Choice>[] = [
    go ? { icon: "debug-reverse-continue", ...go, value: { kind: "go" } } : { icon: "info", label: nothingWords(files), value: { kind: "nothing" } },
    ...(hasLater && !only && checkpoint.turnId !== undefined
      ? [{ icon: "git-commit", label: "Take back only this turn…", description: "what came after it stays", value: { kind: "only" } as const }] : []),
    ...(spared ? [{ icon: "question", ...spared, value: { kind: "doubtful" } as const }] : []),
    ...files.map((file): Entry<Choice> => ({
      icon: icons[file.state], label: vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri)), description: fileWords(file),
      ...(file.why !== undefined && { detail: file.why }), value: { kind: "file", file },
    })),
  ];
  const look = (choice: Choice): boolean => {
    if (choice.kind !== "file") return choice.kind === "nothing";
    if (choice.file.diff) void deps.documents.show(choice.file.uri, choice.file.diff);
    else mention("There is no difference to show.");
    return true;
  };
  return menu(entries, { title: titleOf(checkpoint, params), placeHolder: `${news}A file shows what would change in it.` }, look);
}

const undoButton = "Undo Rewind";

async function tellAfter(deps: RewindDeps, { params }: Plan, { files, checkpointId }: CheckpointRestoreResult): Promise<void> {
  const message = `Drawbridge: ${afterWords(files)}`;
  if (checkpointId === undefined) {
    await say("warning", message);
    return;
  }
  if ((await say("information", message, undoButton)) !== undoButton) return;
  try {
    await undo(deps, params.sessionId, checkpointId);
  } catch (thrown) {
    const { message: why, hint } = toBridgeError(thrown);
    await say("error", `Drawbridge could not undo the rewind: ${why}${hint ? `. ${hint}` : ""}`);
  }
}

/** At once where every file simply goes back; else it is shown first, as any rewind. */
async function undo(deps: RewindDeps, sessionId: string, checkpointId: string): Promise<void> {
  const { checkpoints } = await deps.link.request("checkpoint/list", { sessionId });
  const checkpoint = checkpoints.find((c) => c.checkpointId === checkpointId);
  if (!checkpoint) throw new Error("what the files held is not kept any more");
  const params = { sessionId, checkpointId, only: true }; // turns that came since keep what they did
  const { files, digest } = await deps.link.request("checkpoint/preview", params);
  if (files.some((f) => f.state !== "restore" && f.state !== "unchanged")) {
    return goThrough(deps, { checkpoint, params, hasLater: false });
  }
  await deps.link.request("checkpoint/restore", { ...params, digest });
  mention("The rewind is undone.");
}
