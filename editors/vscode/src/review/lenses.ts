/** The lines above hunks that act when clicked, and how decided hunks look. */
import * as vscode from "vscode";
import { actions, commands, targetOf, underWay } from "./actions.ts";
import type { Action } from "./actions.ts";
import { readReviewAddress, reviewScheme } from "./address.ts";
import type { Diffs } from "./diffs.ts";
import { linesOf } from "./hunks.ts";
import type { Side } from "./hunks.ts";
import { undecided } from "./reviews.ts";
import type { Review, Reviews } from "./reviews.ts";

/** Shows both in whatever editors show a review. */
export function activateLenses(deps: { readonly reviews: Reviews; readonly diffs: Diffs }): vscode.Disposable {
  const lenses = new Lenses(deps);
  const paint = new Paint(deps.reviews);
  return vscode.Disposable.from(
    lenses, paint,
    vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, lenses),
    deps.diffs.onDidChange(() => paint.all()),
    vscode.window.onDidChangeVisibleTextEditors(() => paint.all()),
    vscode.workspace.onDidChangeTextDocument((e) => {
      if (e.document.uri.scheme === reviewScheme) paint.all();
    }),
  );
}

class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #reviews: Reviews;
  readonly #diffs: Diffs;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #owned: vscode.Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(deps: { readonly reviews: Reviews; readonly diffs: Diffs }) {
    this.#reviews = deps.reviews;
    this.#diffs = deps.diffs;
    this.#owned = deps.diffs.onDidChange(() => this.#changed.fire());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const ref = readReviewAddress(document.uri);
    if (!ref || (ref.side !== "old" && ref.side !== "new")) return [];
    if (this.#diffs.isUnderWay(ref)) return ref.side === "new" ? [toLens(underWay, document)] : [];
    const review = this.#reviews.find(ref.sessionId, ref.changeId);
    return review ? actions(review, ref.side).map((a) => toLens(a, document)) : [];
  }

  dispose(): void {
    this.#owned.dispose();
    this.#changed.dispose();
  }
}

function toLens(action: Action, document: vscode.TextDocument): vscode.CodeLens {
  const line = Math.min(action.line, document.lineCount - 1);
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    title: action.title, command: action.command ?? "", ...(action.tooltip && { tooltip: action.tooltip }),
    ...(action.target && { arguments: [action.target] }),
  });
}

/** What will not stand is dimmed, on either side; what is decided is marked in the overview. */
class Paint implements vscode.Disposable {
  readonly #reviews: Reviews;
  readonly #dimmed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, opacity: "0.5", textDecoration: "line-through",
  });
  readonly #undecided = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, overviewRulerLane: vscode.OverviewRulerLane.Full,
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
  });

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
  }

  all(): void {
    for (const editor of vscode.window.visibleTextEditors) this.#editor(editor);
  }

  dispose(): void {
    this.#dimmed.dispose();
    this.#undecided.dispose();
  }

  #editor(editor: vscode.TextEditor): void {
    const ref = readReviewAddress(editor.document.uri);
    if (!ref || (ref.side !== "old" && ref.side !== "new")) return;
    const review = this.#reviews.find(ref.sessionId, ref.changeId);
    editor.setDecorations(this.#dimmed, review ? fallen(review, ref.side) : []);
    editor.setDecorations(this.#undecided, review ? waiting(review, ref.side) : []);
  }
}

function fallen(review: Review, side: Side): vscode.Range[] {
  const loser = side === "old" ? "accept" : "reject";
  if (review.phase !== "waiting") return [];
  return review.hunks.filter((h) => review.verdicts[h.hunkId] === loser).flatMap((h) => wholeLines(linesOf(h, side)));
}

function waiting(review: Review, side: Side): vscode.DecorationOptions[] {
  const hover = hoverOf(review);
  return undecided(review).flatMap((h) => wholeLines(linesOf(h, side)).map((range) => ({ range, hoverMessage: hover(h.hunkId) })));
}

/** The same actions for those who have lenses switched off. */
function hoverOf(review: Review): (hunkId: string) => vscode.MarkdownString {
  const [yes, no] = review.phase === "waiting" ? ["Accept", "Reject"] : ["Keep", "Undo"];
  return (hunkId) => {
    const args = encodeURIComponent(JSON.stringify([{ ...targetOf(review), hunkId }]));
    const text = `[$(check) ${yes}](command:${commands.acceptHunk}?${args}) · [$(close) ${no}](command:${commands.rejectHunk}?${args})`;
    const markdown = new vscode.MarkdownString(text, true);
    markdown.isTrusted = { enabledCommands: [commands.acceptHunk, commands.rejectHunk] };
    return markdown;
  };
}

function wholeLines(lines: { readonly start: number; readonly end: number }): vscode.Range[] {
  return lines.end > lines.start ? [new vscode.Range(lines.start, 0, lines.end - 1, Number.MAX_SAFE_INTEGER)] : [];
}
