/**
 * A question to the person: the exact command or the change, and the answers
 * there are. Nothing here answers by itself: only a press of one of the
 * buttons does, or Enter in the field for the reason of a denial.
 */
import { AddressBody } from "./addressbody.ts";
import { circumstances, commandHeading, escalation } from "./circumstances.ts";
import { button, el, icon, setAttr, setHidden, setText } from "./elements.ts";
import { choose, optionButton } from "./options.ts";
import { marksOf, partsList } from "./parts.ts";
import { Remember } from "./remember.ts";
import type { Shown } from "./elements.ts";
import { HunksView } from "./hunks.ts";
import { totals } from "./difflines.ts";
import { post } from "./host.ts";
import { CommandText, seen, setSeen } from "./seen.ts";
import { count, shortPath } from "./words.ts";
import type { Scene } from "./scene.ts";
import type { Verdict } from "../conversation/messages.ts";
import type { Remembered } from "../model/conversation.ts";
import { askedBecause } from "../model/modes.ts";
import { subagentName } from "../model/subagents.ts";
import { isLasting, sinceWords } from "../model/verdicts.ts";
import { headline } from "../model/visible.ts";
import type {
  ApprovalAnswer,
  ApprovalOption,
  ApprovalRequestParams,
  ChangeQuestion,
  CommandQuestion,
} from "../protocol.gen.ts";

export interface Asked {
  readonly question: ApprovalRequestParams;
  readonly scene: Scene;
  /** Its place among the open ones, from 1. */
  readonly place: number;
  readonly of: number;
  /** Called when an answer was given, so that the view shows it at once. */
  readonly answered: () => void;
}

export class QuestionView implements Shown<Asked> {
  readonly element = el("section", { class: "question", attrs: { tabindex: "-1" } });
  readonly #count = el("span", { class: "question-count" });
  readonly #buttons: readonly HTMLElement[];
  readonly #body: Body;
  readonly #reason: Reason;
  readonly #remember: HTMLElement;
  readonly #why = el("p", { class: "question-reason" });
  #asked: Asked;

  constructor(asked: Asked) {
    this.#asked = asked;
    const { question } = asked;
    const leaves = question.command?.escalation !== undefined;
    this.#body = bodyOf(question, this);
    const deny = question.options.find((option) => option.kind === "deny");
    this.#reason = new Reason((comment) => deny && this.answer({ ...choose(deny), ...(comment && { comment }) }));
    const { first, more } = this.#body.buttons(question.options.filter((option) => !isLasting(option)));
    this.#buttons = [
      el("div", { class: "question-buttons first" }, ...first),
      el("div", { class: "question-buttons" }, ...more, deny && this.#reason.opener),
    ];
    this.#remember = new Remember(question.options.filter(isLasting), {
      answer: (answer) => this.answer(answer), refused: refusedOf(asked)?.rule, drafts: asked.scene.rewriting,
      of: `${question.sessionId} ${question.turnId} ${question.callId}`,
    }).element;
    this.element.classList.toggle("change", question.change !== undefined);
    this.element.classList.toggle("escalates", leaves);
    setAttr(this.element, "aria-label", spoken(question));
    setAttr(this.element, "data-approval", question.approvalId);
    this.element.append(
      el(
        "div",
        { class: "question-head" },
        icon("question"),
        el("h4", { class: "question-title" }, ...seen(heading(question))),
        el("span", { class: "question-since", text: sinceWords(question.since, Date.now()) }),
        this.#count,
      ),
      el("p", { class: "question-origin", hidden: question.origin === undefined }, "Asked by ", ...seen(question.origin ? subagentName(question.origin) : "")),
      this.#why,
      this.#body.element,
      ...this.#buttons,
      this.#reason.element,
      this.#remember,
      derivation(question.derivation),
    );
  }

  get question(): ApprovalRequestParams {
    return this.#asked.question;
  }

  update(asked: Asked): void {
    this.#asked = asked;
    const isAnswering = asked.scene.answering.has(asked.question.approvalId);
    // Its buttons give up the keyboard now: the question itself keeps it, for whatever comes next.
    if (isAnswering && this.element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    setAttr(this.element, "aria-busy", isAnswering ? "true" : null);
    const why = whyAsked(asked);
    setSeen(this.#why, why);
    setHidden(this.#why, why === "");
    this.#why.classList.toggle("refused", refusedOf(asked) !== undefined);
    setHidden(this.#count, asked.of < 2);
    setText(this.#count, `${asked.place} of ${asked.of}`);
    this.#body.update(asked, isAnswering);
    for (const part of [...this.#buttons, this.#remember]) {
      for (const b of part.querySelectorAll<HTMLButtonElement | HTMLTextAreaElement>("button, textarea")) b.disabled = isAnswering;
    }
    this.#reason.disable(isAnswering);
  }

  /** A rule is about what was asked, not about a command that a person rewrites. */
  showRemember(isShown: boolean): void {
    setHidden(this.#remember, !isShown || this.#remember.childElementCount === 0);
  }

  answer(answer: ApprovalAnswer): void {
    const { scene, question, answered } = this.#asked;
    if (scene.answering.has(question.approvalId)) return;
    scene.answering.add(question.approvalId);
    post({ kind: "answer", sessionId: question.sessionId, approvalId: question.approvalId, answer });
    answered();
  }
}

/** Of a command that would leave the sandbox the reason is that, in the model's words, unless an answer did not count. */
function whyAsked(asked: Asked): string {
  const { reason, command } = asked.question;
  if (command?.escalation !== undefined && !refusedOf(asked)) return "";
  return askedBecause(reason, command?.unconfined ?? false);
}

function refusedOf({ question, scene }: Asked): Remembered | undefined {
  return scene.conversation?.refused?.[question.approvalId];
}

function bodyOf(question: ApprovalRequestParams, view: QuestionView): Body {
  const { change, command, url } = question;
  if (change) return new ChangeBody(question, change, view);
  if (url !== undefined) return new AddressBody(url, (answer) => view.answer(answer));
  return new CommandBody(command, view);
}

/** What is asked about, and the buttons that belong to it. */
export interface Body {
  readonly element: HTMLElement;
  /** First: those that decide about all of it. More: the others. */
  buttons(options: readonly ApprovalOption[]): Buttons;
  update(asked: Asked, isAnswering: boolean): void;
}

export interface Buttons {
  readonly first: readonly HTMLElement[];
  readonly more: readonly HTMLElement[];
}

class ChangeBody implements Body {
  readonly element = el("div", { class: "question-body" });
  readonly #of: Pick<ApprovalRequestParams, "sessionId" | "approvalId">;
  readonly #change: ChangeQuestion;
  readonly #view: QuestionView;
  readonly #hunks: HunksView;
  readonly #path = el("button", { class: "path", attrs: { type: "button" } });
  #acceptAll: HTMLButtonElement | undefined;
  #rejectAll: HTMLButtonElement | undefined;

  constructor({ sessionId, approvalId }: ApprovalRequestParams, change: ChangeQuestion, view: QuestionView) {
    this.#of = { sessionId, approvalId };
    this.#change = change;
    this.#view = view;
    const { changeId } = change;
    this.#hunks = new HunksView({
      mark: (hunkId, verdict) => post({ kind: "mark", ...this.#of, changeId, hunkId, verdict }),
      keep: () => undefined,
      takeBack: () => undefined,
    });
    const { added, removed } = totals(change.hunks);
    this.#path.addEventListener("click", () => post({ kind: "openChange", sessionId, changeId }));
    this.#path.title = "Open the diff";
    this.element.append(
      el(
        "div",
        { class: "change-head" },
        this.#path,
        el("span", { class: "change-kind", text: kindWords[change.kind] }),
        counts(added, removed),
        change.hunks.length > 1 && el("span", { class: "change-hunks", text: count(change.hunks.length, "hunk") }),
      ),
      this.#hunks.element,
    );
  }

  buttons(options: readonly ApprovalOption[]): Buttons {
    const { changeId } = this.#change;
    const once = options.find((option) => option.kind === "allow" && option.scope === "once");
    const deny = options.find((option) => option.kind === "deny");
    const decide = (verdict: Verdict, option: ApprovalOption | undefined) => (): void => {
      // Without a hunk there is nothing to mark: an empty file is made or removed as a whole.
      if (this.#change.hunks.length === 0 && option) this.#view.answer(choose(option));
      else post({ kind: "markAll", ...this.#of, changeId, verdict });
    };
    this.#acceptAll = button({ label: "Accept", icon: "check", look: "primary" }, decide("accept", once));
    this.#rejectAll = button({ label: "Reject", icon: "close" }, decide("reject", deny));
    return {
      first: [this.#acceptAll, this.#rejectAll],
      more: [
        button({ label: "Open diff", icon: "diff", look: "link" }, () => post({ kind: "openChange", sessionId: this.#of.sessionId, changeId })),
        button({ label: "Edit…", icon: "edit", look: "link", title: "Edit the proposal before it is accepted" }, () =>
          post({ kind: "editProposal", sessionId: this.#of.sessionId, changeId }),
        ),
      ],
    };
  }

  update(asked: Asked, isAnswering: boolean): void {
    const marks = asked.scene.marks[this.#change.changeId] ?? {};
    const { hunks, diff, uri } = this.#change;
    setSeen(this.#path, shortPath(uri, asked.scene.conversation?.session.cwd ?? ""), "code");
    this.#hunks.update({ hunks, diff, choice: "marks", marks, disabled: isAnswering });
    const isBegun = hunks.some((hunk) => marks[hunk.hunkId]);
    const which = hunks.length < 2 ? "" : isBegun ? " the rest" : " all";
    for (const [b, word] of [
      [this.#acceptAll, "Accept"],
      [this.#rejectAll, "Reject"],
    ] as const) {
      const label = b?.querySelector<HTMLElement>(".button-label");
      if (label) setText(label, word + which);
    }
  }
}

class CommandBody implements Body {
  readonly element = el("div", { class: "question-body" });
  readonly #view: QuestionView;
  readonly #command: CommandQuestion | undefined;
  readonly #editor: HTMLTextAreaElement;
  readonly #text: HTMLElement;
  readonly #parts: HTMLElement;
  readonly #plainButtons: HTMLElement[] = [];
  readonly #editButtons: HTMLElement[] = [];

  constructor(command: CommandQuestion | undefined, view: QuestionView) {
    this.#command = command;
    this.#view = view;
    const parts = command?.parts ?? [];
    this.#text = new CommandText(command?.text ?? "", command?.typedInto === undefined ? "command" : "typed", marksOf(parts)).element;
    this.#parts = partsList(parts);
    setHidden(this.#parts, parts.length === 0);
    setHidden(this.#text, !command);
    this.#editor = el("textarea", {
      class: "command-editor",
      hidden: true,
      attrs: { "aria-label": "Command", spellcheck: "false", rows: "2" },
    });
    this.#editor.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#edit(false);
      if (event.key === "Escape") event.stopPropagation();
    });
    if (command?.escalation !== undefined) this.element.append(escalation(command.escalation));
    this.element.append(this.#text, this.#editor, this.#parts);
    if (command) this.element.append(circumstances(command));
  }

  buttons(options: readonly ApprovalOption[]): Buttons {
    const once = options.find((option) => option.kind === "allow" && option.scope === "once");
    const answers = options.map((option) => optionButton(option, () => this.#view.answer(choose(option))));
    this.#plainButtons.push(...answers);
    if (!this.#command || !once || this.#command.typedInto !== undefined) return { first: answers, more: [] };
    const edit = button({ label: "Edit…", icon: "edit", look: "link", title: "Edit the command before it runs" }, () =>
      this.#edit(true),
    );
    this.#plainButtons.push(edit);
    this.#editButtons.push(
      button({ label: "Allow edited", icon: "check", look: "primary" }, () => this.#allowEdited(once)),
      button({ label: "Back", title: "Back to the command as it was asked (Escape)" }, () => this.#edit(false)),
    );
    for (const b of this.#editButtons) b.hidden = true;
    return { first: [...answers, ...this.#editButtons], more: [edit] };
  }

  update(_asked: Asked, isAnswering: boolean): void {
    this.#editor.disabled = isAnswering;
  }

  #edit(isEditing: boolean): void {
    setHidden(this.#text, isEditing);
    setHidden(this.#parts, isEditing || this.#parts.childElementCount === 0);
    setHidden(this.#editor, !isEditing);
    for (const b of this.#plainButtons) setHidden(b, isEditing);
    for (const b of this.#editButtons) setHidden(b, !isEditing);
    this.#view.showRemember(!isEditing);
    if (!isEditing) return this.#plainButtons.at(-1)?.focus();
    this.#editor.value = this.#command?.text ?? "";
    this.#editor.focus({ preventScroll: true });
    this.#editor.setSelectionRange(0, 0); // a command is read from its beginning
    this.#editor.scrollTop = 0;
    const log = this.element.closest(".log")?.getBoundingClientRect();
    const isTall = log !== undefined && this.#editor.offsetHeight > log.height;
    this.#editor.scrollIntoView({ block: isTall ? "start" : "nearest" });
  }

  #allowEdited(once: ApprovalOption): void {
    const command = this.#editor.value.trim();
    if (command === "") return this.#editor.focus();
    this.#view.answer({ ...choose(once), ...(command !== this.#command?.text && { command }) });
  }
}

/** The field for a reason. Enter in it denies, Escape closes it; it can do nothing else. */
class Reason {
  readonly opener: HTMLButtonElement;
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #send: HTMLButtonElement;

  constructor(deny: (comment: string) => void) {
    this.opener = button({ label: "Deny with a reason…", look: "link" }, () => this.#open(true));
    this.#input = el("input", {
      attrs: { type: "text", "aria-label": "Reason of the denial", placeholder: "Why not? The model reads this." },
    });
    const send = (): void => deny(this.#input.value.trim());
    this.#send = button({ label: "Deny", title: "Deny (Enter)" }, send);
    this.element = el("div", { class: "reason", hidden: true }, this.#input, this.#send);
    this.#input.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") send();
      else if (event.key === "Escape") this.#open(false);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  disable(isDisabled: boolean): void {
    this.#input.disabled = isDisabled;
    this.#send.disabled = isDisabled;
  }

  #open(isOpen: boolean): void {
    setHidden(this.element, !isOpen);
    setHidden(this.opener, isOpen);
    (isOpen ? this.#input : this.opener).focus();
  }
}

/** What a yes would do. What it is about stands below, and in the head of the call. */
function heading({ change, command, url, title }: ApprovalRequestParams): string {
  if (command) return commandHeading(command);
  if (url !== undefined) return "Read from this address?";
  return change
    ? { create: "Create this file?", modify: "Make this edit?", delete: "Delete this file?", rename: "Rename this file?" }[change.kind]
    : title;
}

const kindWords = { create: "New file", modify: "", delete: "Deletes the file", rename: "Renames the file" } as const;

/** The checks that led to the question, in their order. */
function derivation(lines: readonly string[]): HTMLElement {
  return el(
    "details",
    { class: "derivation", hidden: lines.length === 0 },
    el("summary", { text: "Why am I asked?" }),
    el("ol", {}, ...lines.map((line) => el("li", {}, ...seen(line)))),
  );
}

/** What is asked about, in one line. */
function spoken({ command, title, origin }: ApprovalRequestParams): string {
  const what = command && command.typedInto === undefined ? headline(command.text, "code") : headline(title);
  return origin ? `${what}, asked by ${headline(origin.subagentId)}` : what;
}

export function counts(added: number, removed: number): HTMLElement {
  return el(
    "span",
    {
      class: "counts",
      attrs: { role: "img", "aria-label": `${count(added, "line")} added, ${count(removed, "line")} removed` },
    },
    el("span", { class: "plus", text: `+${added}` }),
    el("span", { class: "minus", text: `−${removed}` }),
  );
}
