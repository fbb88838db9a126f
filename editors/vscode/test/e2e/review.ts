/** The diff of a change, and the list of changes, as a person sees them. */
import type { Locator, Page } from "playwright-core";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./processes.ts";

export class Review {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get diff(): Locator {
    return this.#page.locator(".monaco-diff-editor").first();
  }

  /** The lines of text above the file and above hunks that act when clicked. */
  lens(label: string | RegExp): Locator {
    return this.diff.locator(".codelens-decoration a", { hasText: label });
  }

  /** What stands above a hunk and does nothing. */
  words(text: string): Locator {
    return this.diff.locator(".codelens-decoration span", { hasText: text }).first();
  }

  /** Clicks what is offered for the whole file. */
  press(label: string): Promise<void> {
    const link = this.lens(label).first();
    return take(async () => ((await link.isVisible()) ? link : undefined), `"${label}" in the diff`);
  }

  /** Clicks what is offered just above a line of the new text. */
  pressAbove(line: string, label: string): Promise<void> {
    const links = this.lens(new RegExp(`^\\s*${label}\\b`));
    return take(async () => {
      const y = await topOf(this.line(line));
      if (y === undefined) return undefined;
      const above = await Promise.all((await links.all()).map(async (link) => ({ link, gap: y - ((await topOf(link)) ?? Infinity) })));
      return above.filter(({ gap }) => gap > 0 && gap <= 40).sort((a, b) => a.gap - b.gap)[0]?.link;
    }, `something above "${line}" that says ${label}`);
  }

  /** Waits until one side of the diff has the keyboard. */
  async hasKeyboard(): Promise<void> {
    await this.diff.locator(".monaco-editor.focused").waitFor();
  }

  /** Waits until the person's own edit of a proposal can be typed into. */
  async draftHasKeyboard(): Promise<void> {
    await this.diff.locator(".codelens-decoration", { hasText: "Your edit of the proposal" }).waitFor();
    await this.diff.locator(".editor.modified .monaco-editor.focused").waitFor();
  }

  /** A line of the new text. */
  line(text: string): Locator {
    return this.diff.locator(".editor.modified .view-line", { hasText: text }).first();
  }

  /** Waits until the cursor stands in a line of the new text. */
  async cursorIn(text: string): Promise<void> {
    const cursor = this.diff.locator(".editor.modified .cursors-layer .cursor").first();
    await until(async () => {
      const [at, line] = await Promise.all([cursor.boundingBox(), this.line(text).boundingBox()]);
      return at !== null && line !== null && Math.abs(at.y - line.y) < line.height / 2;
    }, `the cursor in "${text}"`);
  }

  /** Puts the keyboard into one side of the diff. */
  async clickInto(side: "old" | "new"): Promise<void> {
    await this.diff.locator(`.editor.${side === "old" ? "original" : "modified"} .view-line`).nth(2).click();
  }

  /** Tabs that show a review. */
  get tabs(): Locator {
    return this.#page.locator(".tabs-container .tab", { hasText: /\((proposed|applied|partly applied|rejected|reverted)/ });
  }

  /** An entry of the list of changes. */
  change(name: string | RegExp): Locator {
    return this.#page.locator('.pane:has(.pane-header[aria-label*="Changes"]) .monaco-list-row', { hasText: name });
  }
}

/**
 * Clicks what is found, until it is offered no more: then it was taken. Lines and what stands above them do not move at
 * once and are drawn anew, and a click on what went in that moment is lost.
 */
async function take(find: () => Promise<Locator | undefined>, what: string): Promise<void> {
  let isClicked = false;
  await until(async () => {
    if (isClicked && (await isGone(find))) return true;
    const clicked = (await find())?.click({ timeout: 5_000 }).then(() => true, () => false);
    isClicked = (await clicked) === true || isClicked;
    return false;
  }, what);
}

/** What is drawn anew is away for a moment, too; one that is away for three looks is gone. */
async function isGone(find: () => Promise<Locator | undefined>): Promise<boolean> {
  let looks = 0;
  for (const end = Date.now() + 10_000; looks < 3 && Date.now() < end; await pause(50)) {
    looks = (await find()) === undefined ? looks + 1 : 0;
  }
  return looks === 3;
}

/** Where something is from above; undefined where it is not to be seen. */
function topOf(what: Locator): Promise<number | undefined> {
  return what.boundingBox({ timeout: 1_000 }).then((box) => box?.y, () => undefined);
}
