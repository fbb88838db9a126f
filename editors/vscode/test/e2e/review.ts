/** The diff of a change, and the list of changes, as a person sees them. */
import type { Locator, Page } from "playwright-core";
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
  async press(label: string): Promise<void> {
    await this.lens(label).first().click();
  }

  /** Clicks what is offered just above a line of the new text. */
  async pressAbove(line: string, label: string): Promise<void> {
    const links = this.lens(new RegExp(`^\\s*${label}\\b`));
    await this.line(line).waitFor();
    await links.first().waitFor();
    await until(async () => { // lines and what stands above them do not move at once, and are drawn anew
      const y = (await this.line(line).boundingBox())?.y ?? 0;
      const above = await Promise.all((await links.all()).map(async (link) => ({ link, gap: y - ((await link.boundingBox())?.y ?? Infinity) })));
      const found = above.filter(({ gap }) => gap > 0 && gap <= 40).sort((a, b) => a.gap - b.gap)[0]?.link;
      return found !== undefined && found.click({ timeout: 2_000 }).then(() => true, () => false);
    }, 20_000, `something above "${line}" that says ${label}`);
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
    }, 10_000, `the cursor in "${text}"`);
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
