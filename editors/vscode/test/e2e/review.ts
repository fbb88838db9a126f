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

  /** The lines of text above hunks that act when clicked. */
  lens(label: string): Locator {
    return this.diff.locator(".codelens-decoration a", { hasText: label });
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
