/** What stands for each kind of row, in the log and in the card of a subagent. */
import { Keyed } from "./elements.ts";
import type { Shown } from "./elements.ts";
import { CallView } from "./call.ts";
import { EndedView } from "./ended.ts";
import { EndView, ReplacedView, ThoughtView, separator } from "./marginal.ts";
import { MessageView } from "./message.ts";
import { AskedView, PromptView, SteerView } from "./prompts.ts";
import { QuestionView } from "./question.ts";
import { rowsOf } from "./rows.ts";
import { questions, within } from "./scene.ts";
import type { Row } from "./rows.ts";
import type { Scene } from "./scene.ts";
import type { EndItem, Item } from "../model/conversation.ts";

export interface RowShown {
  readonly row: Row;
  readonly scene: Scene;
  readonly last: boolean;
  readonly resend: string | undefined;
  readonly resume: string | undefined;
  /** The turns that can be rewound. */
  readonly rewinds: ReadonlySet<string>;
}

export interface RowDeeds {
  changed(): void;
  takeText(text: string): void;
  /** The text stands in the prompt box. */
  hasText(text: string): boolean;
}

/** After a restart the same place can hold something else; what is drawn once must not stand for it. */
export function keyOf({ row }: RowShown): string {
  return `${row.kind} ${row.key} ${"turnId" in row ? row.turnId : ""}`;
}

export function makeRow(shown: RowShown, deeds: RowDeeds): Shown<RowShown> {
  const { row } = shown;
  switch (row.kind) {
    case "prompt":
      if (shown.scene.whole) return fixed(new AskedView(row.blocks).element);
      return adapt(shown, ofPrompt, (value) => new PromptView(value));
    case "steer":
      return adapt(shown, () => ({ blocks: row.blocks, isQueued: false }), (value) => new SteerView(value));
    case "queued":
      return adapt(shown, () => ({ blocks: row.blocks, isQueued: true }), (value) => new SteerView(value));
    case "message":
      return adapt(shown, (s) => s.row as typeof row, () => new MessageView());
    case "thought":
      return adapt(shown, ofThought, () => new ThoughtView());
    case "call":
      return adapt(
        shown,
        (s) => ({ call: s.row as typeof row, scene: s.scene, answered: deeds.changed, nest: nestOf(deeds) }),
        (value) => new CallView(value),
      );
    case "end":
      return adapt(shown, (s) => ofEnd(s, deeds), (value) => new EndView(value));
    case "ended":
      return new EndedView(shown.scene.conversation?.session.sessionId ?? "", row.notices, row.remarks ?? []);
    case "notice":
      return fixed(separator(row.text));
    case "replaced":
      return adapt(
        shown,
        () => ({ size: row.items.length }),
        () => new ReplacedView((into) => drawReplaced(into, row.items, shown.scene, deeds)),
      );
    case "question":
      return adapt(shown, (s) => ofQuestion(s, deeds), (value) => new QuestionView(value));
  }
}

/** So many of the rows of a subagent are in the page, until all are asked for. */
const most = 60;

/** What a subagent does, as rows of its own. */
export interface Nest {
  update(scene: Scene, all: boolean): number;
}

/** Makes the rows of a subagent in an element; update draws them and returns how many are left out. */
export function nestOf(deeds: RowDeeds): (into: HTMLElement) => Nest {
  return (into) => {
    const rows = new Keyed<RowShown>(into, (shown) => makeRow(shown, deeds));
    return {
      update(scene, all) {
        // Its questions stand below, where they are seen when the rows are folded.
        const whole = scene.conversation ? rowsOf(scene.conversation).filter(({ kind }) => kind !== "question") : [];
        const shown = all ? whole : whole.slice(-most);
        rows.update(shown.map((row, i) => still(row, scene, i === shown.length - 1)), keyOf);
        return whole.length - shown.length;
      },
    };
  };
}

function drawReplaced(into: HTMLElement, items: readonly Item[], scene: Scene, deeds: RowDeeds): void {
  new Keyed<RowShown>(into, (shown) => makeRow(shown, deeds)).update(items.map((row) => still(row, scene, false)), keyOf);
}

/** A row of something that can neither be said again nor taken up nor rewound by itself. */
function still(row: Row, scene: Scene, last: boolean): RowShown {
  return { row, scene, last, resend: undefined, resume: undefined, rewinds: none };
}

const none: ReadonlySet<string> = new Set();

function ofPrompt({ row, scene, resend, rewinds }: RowShown) {
  const prompt = row as Extract<Row, { kind: "prompt" }>;
  const { turnId, blocks } = prompt;
  return { sessionId: scene.conversation?.session.sessionId ?? "", turnId, blocks, canResend: turnId === resend, canRewind: rewinds.has(turnId) };
}

function ofThought({ row, scene, last }: RowShown) {
  const { text } = row as Extract<Row, { kind: "thought" }>;
  return { text, isLive: last && scene.conversation?.turnId !== undefined };
}

function ofEnd({ row, scene, resume }: RowShown, { takeText, hasText }: RowDeeds) {
  const end = row as Extract<Row, { kind: "end" }>;
  const provider = scene.conversation?.session.model.split(":", 1)[0] ?? "";
  const isReady = scene.providers.find(({ name }) => name === provider)?.ready ?? true;
  const needsKey =
    end.stopReason === "error" && (!isReady || /(?:\b|_)key\b/i.test(`${end.cause ?? ""} ${end.hint ?? ""}`));
  return { end, canContinue: end.turnId === resume, needsKey, isLast: isLast(scene, end), takeText, hasText };
}

/** Nothing was said after that end. */
function isLast(scene: Scene, end: EndItem): boolean {
  const turn = scene.conversation?.items.findLast((item) => "turnId" in item);
  return scene.conversation?.turnId === undefined && turn !== undefined && "turnId" in turn && turn.turnId === end.turnId;
}

/** One of a subagent is asked in that one's scene. */
function ofQuestion({ row, scene }: RowShown, { changed }: RowDeeds) {
  const { question } = row as Extract<Row, { kind: "question" }>;
  const open = questions(scene);
  return { question, scene: within(scene, question.sessionId) ?? scene, place: open.indexOf(question) + 1, of: open.length, answered: changed };
}

function fixed(element: HTMLElement): Shown<RowShown> {
  return { element, update: () => undefined };
}

/** A view of one kind of row: of is what it shows of the row. */
function adapt<T>(first: RowShown, of: (shown: RowShown) => T, make: (value: T) => Shown<T>): Shown<RowShown> {
  const view = make(of(first));
  return { element: view.element, update: (shown) => view.update(of(shown)) };
}
