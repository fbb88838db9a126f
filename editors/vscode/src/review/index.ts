/** The review of changes: in the editor's diff view, in the list of changes, and as drafts. */
import * as vscode from "vscode";
import type { Link } from "../bridge/link.ts";
import type { Verdict } from "../conversation/messages.ts";
import type { Desk } from "../model/desk.ts";
import type { Sessions } from "../model/sessions.ts";
import { tell } from "../say.ts";
import { reviewScheme } from "./address.ts";
import type { ChangeRef } from "./address.ts";
import { activateCommands } from "./commands.ts";
import type { CommandDeps } from "./commands.ts";
import { decideHunk, decideRest } from "./deciding.ts";
import { Diffs } from "./diffs.ts";
import { activateDocuments } from "./documents.ts";
import { Drafts } from "./drafts.ts";
import { activateLenses } from "./lenses.ts";
import type { MarkBook } from "./marks.ts";
import { Reviews } from "./reviews.ts";
import { activeChange } from "./tabs.ts";
import { TextShelf } from "./texts.ts";
import { activateTree } from "./tree.ts";
import { told } from "./trouble.ts";

export interface ReviewDeps {
  readonly link: Link;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly marks: MarkBook;
}

export interface Review {
  openChange(change: ChangeRef): Promise<void>;
  editProposal(change: ChangeRef): Promise<void>;
  /** Keeps (accept) or takes back (reject) hunks of an applied change. */
  resolve(change: ChangeRef, hunks: readonly string[] | "all", verdict: Verdict): Promise<void>;
  /** How many changes wait for the person. */
  pendingCount(): number;
}

export function activateReview(context: vscode.ExtensionContext, { link, sessions, desk, marks }: ReviewDeps): Review {
  const reviews = new Reviews({ desk, sessions, marks });
  const shelf = new TextShelf(link);
  const diffs = new Diffs({ link, sessions, reviews, shelf });
  const drafts = new Drafts({ desk, marks, shelf });
  const deps: CommandDeps = { link, marks, sessions, reviews, diffs, drafts };
  context.subscriptions.push(
    reviews, diffs, drafts, activateDocuments(shelf), activateLenses({ reviews, diffs }), activateTree({ reviews, desk, sessions }),
    activateCommands(deps), activateContextKey(reviews),
  );
  return {
    openChange: (change) => told("open the change", () => diffs.open(change)),
    editProposal: (change) => told("open the proposal for editing", async () => {
      const question = marks.question(change.changeId, { sessionId: change.sessionId });
      if (!question) throw new Error("it is settled; edit the file itself");
      await drafts.open(question);
    }),
    resolve: (change, hunks, verdict) => told("settle the change", () => resolve(deps, change, hunks, verdict)),
    pendingCount: () => reviews.waiting.length,
  };
}

async function resolve(deps: CommandDeps, ref: ChangeRef, hunks: readonly string[] | "all", verdict: Verdict): Promise<void> {
  const messages: (string | undefined)[] = [];
  const find = () => deps.reviews.find(ref.sessionId, ref.changeId);
  if (hunks === "all") {
    const review = find();
    if (review) messages.push(await decideRest(deps, review, verdict));
  } else {
    for (const hunkId of hunks) { // each is taken back from what the one before left
      const review = find();
      if (review) messages.push(await decideHunk(deps, review, hunkId, verdict));
    }
  }
  const message = messages.find((m) => m !== undefined);
  if (message) tell("warning", `Drawbridge: ${message}`);
}

/**
 * Keys of the review act in a review alone, not in a draft beside one. The key
 * holds the phase, by which buttons come and go.
 */
function activateContextKey(reviews: Reviews): vscode.Disposable {
  const set = (): void => {
    const active = vscode.window.activeTextEditor?.document.uri.scheme === reviewScheme ? activeChange() : undefined;
    const phase = active && !active.draft && (reviews.find(active.ref.sessionId, active.ref.changeId)?.phase ?? "settled");
    void vscode.commands.executeCommand("setContext", "drawbridge.inReview", phase ?? false);
  };
  set();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(set), vscode.window.tabGroups.onDidChangeTabs(set), reviews.onChange(set),
  );
}
