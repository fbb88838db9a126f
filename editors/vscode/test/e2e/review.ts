/** The diff of a change, and the list of changes, as a person sees them. */
import type { Locator, Page } from "playwright-core";

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

  /** Clicks what is offered for the whole file. */
  async press(label: string): Promise<void> {
    await this.lens(label).first().click();
  }

  /** Clicks what is offered just above a line of the new text. */
  async pressAbove(line: string, label: string): Promise<void> {
    const links = this.lens(new RegExp(`^\\s*${label}\\b`));
    const text = this.diff.locator(".editor.modified .view-line", { hasText: line }).first();
    await text.waitFor();
    await links.first().waitFor();
    const y = (await text.boundingBox())?.y ?? 0;
    const above = await Promise.all((await links.all()).map(async (link) => ({ link, gap: y - ((await link.boundingBox())?.y ?? Infinity) })));
    const nearest = above.filter(({ gap }) => gap > 0).sort((a, b) => a.gap - b.gap)[0];
    if (!nearest || nearest.gap > 40) throw new Error(`nothing above "${line}" says ${label}`);
    await nearest.link.click();
  }

  /** Waits until the cursor stands in a line with this text. */
  async inHunk(text: string): Promise<void> {
    await this.diff.locator(".editor.modified .current-line").first().waitFor();
    await this.diff.locator(".editor.modified .view-line", { hasText: text }).first().waitFor();
  }

  /** Puts the keyboard into one side of the diff. */
  async clickInto(side: "old" | "new"): Promise<void> {
    await this.diff.locator(`.editor.${side === "old" ? "original" : "modified"} .view-line`).nth(2).click();
  }

  async press(label: string, nth = 0): Promise<void> {
    await this.lens(label).nth(nth).click();
  }

  /** Tabs that show a review. */
  get tabs(): Locator {
    return this.#page.locator(".tabs-container .tab", { hasText: /\((proposed|applied|partly applied|rejected|reverted)/ });
  }

  /** An entry of the list of changes. */
  change(name: string): Locator {
    return this.#page.locator('.pane:has(.pane-header[aria-label*="Changes"]) .monaco-list-row', { hasText: name });
  }
}
