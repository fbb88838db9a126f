/**
 * A person at one window. Everything here is done by clicks and keys and seen
 * on the screen; nothing reaches into the extension.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { ConversationView } from "./conversation.ts";
import { hasKeyboard, patienceMs, until } from "./processes.ts";
import { Review } from "./review.ts";
import { out } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";

export type Size = { readonly width: number; readonly height: number };
export const wide: Size = { width: 1280, height: 800 };
export const narrow: Size = { width: 800, height: 600 };

export class User {
  readonly page: Page;
  readonly bench: Workbench;
  readonly view: ConversationView;
  readonly review: Review;
  readonly #context: BrowserContext;
  readonly #console: string[] = [];
  readonly #size: Size;

  private constructor(bench: Workbench, context: BrowserContext, page: Page, size: Size) {
    this.#size = size;
    this.bench = bench;
    this.#context = context;
    this.page = page;
    this.view = new ConversationView(page);
    this.review = new Review(page);
    page.on("console", (m) => this.#console.push(`${m.type()}: ${m.text()}`));
  }

  /** Opens a window on a folder. */
  static async open(bench: Workbench, workspace: string, size: Size = wide): Promise<User> {
    const context = await bench.browser.newContext({ viewport: size });
    context.setDefaultTimeout(patienceMs);
    // Nothing but this machine is ever asked for anything.
    await context.route((url) => url.protocol.startsWith("http") && url.hostname !== "127.0.0.1", (route) => route.abort());
    const user = new User(bench, context, await context.newPage(), size);
    await user.page.goto(bench.address(workspace), { waitUntil: "commit" });
    await user.ready();
    return user;
  }

  /** The extension has started when its item is in the status bar. */
  async ready(): Promise<void> {
    await this.status.waitFor({ timeout: 2 * patienceMs });
  }

  close(): Promise<void> {
    return this.#context.close();
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /**
   * Runs a command by its title. The palette lists what is known when it opens,
   * and closes when something else comes to the front: then it is asked again.
   */
  async palette(title: string): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: new RegExp(`^${escaped(title)}`) }).first();
    await until(async () => (await this.#lists("F1", `>${title}`, row)) && (await this.#takes(row)), `the command "${title}"`);
  }

  /** Opens a list by its key, narrows it, and looks for a row of it. */
  async #lists(key: string, text: string, row: Locator): Promise<boolean> {
    try {
      await this.press(key);
      await this.quickInput.fill(text, { timeout: 5_000 });
      await row.waitFor({ timeout: 5_000 });
      return true;
    } catch {
      await this.press("Escape");
      return false;
    }
  }

  /** Goes to a row of the list and presses Enter; false where the list was closed before that. */
  async #takes(row: Locator): Promise<boolean> {
    try {
      while (!(await row.getAttribute("class", { timeout: 5_000 }))?.includes("focused")) await this.press("ArrowDown");
    } catch {
      return false;
    }
    await this.page.evaluate(watchKey);
    await this.press("Enter");
    return this.page.evaluate(wasForList).catch(() => true); // the window is loaded anew by it
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget input").first();
  }

  /** An entry of a list that a command showed, by how it begins. */
  quickPick(label: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: new RegExp(`^\\s*${escaped(label)}`) }).first();
  }

  /** Opens a file by its name. */
  async openFile(name: string): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    await until(async () => (await this.#lists("ControlOrMeta+p", name, row)) && (await this.#takes(row)), `${name} in the list of files`);
    await this.typesInto(name);
  }

  /** Waits until an open file has the keyboard. A tab is in front before its text is, and the text before the keyboard. */
  async typesInto(name: string): Promise<void> {
    await this.activeTab(tabOfFile(name)).waitFor();
    await this.page.locator(`.monaco-editor.focused[data-uri$="/${name}"]`).locator(".view-line").first().waitFor();
  }

  /** Goes to an open file. */
  async goTo(name: string): Promise<void> {
    await this.tab(tabOfFile(name)).click();
    await this.typesInto(name);
  }

  /** Goes to an open file and saves it. */
  async save(name: string): Promise<void> {
    await this.goTo(name);
    await this.press("ControlOrMeta+s");
  }

  /** Takes back what changed in an open file last, and saves that. */
  async undoAndSave(name: string): Promise<void> {
    const dirty = this.dirtyTabs.filter({ hasText: tabOfFile(name) });
    await this.goTo(name);
    await dirty.waitFor({ state: "detached" });
    await this.press("ControlOrMeta+z");
    await dirty.waitFor();
    await this.press("ControlOrMeta+s");
  }

  /** A line of an open file. */
  line(text: string | RegExp): Locator {
    return this.page.locator(".editor-instance .view-line", { hasText: text }).first();
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator(".tabs-container .tab", { hasText: name });
  }

  activeTab(name: string | RegExp): Locator {
    return this.page.locator(".tabs-container .tab.active", { hasText: name });
  }

  /** Tabs whose text is not saved. */
  get dirtyTabs(): Locator {
    return this.page.locator(".tabs-container .tab.dirty");
  }

  /** Types into the terminal that is shown. */
  async typeInTerminal(text: string): Promise<void> {
    await this.page.locator(".terminal-wrapper.active .xterm-screen, .xterm-screen").last().click();
    await this.typesIntoTerminal();
    await this.type(text);
  }

  /** Waits until the terminal that is shown has the keyboard. */
  typesIntoTerminal(): Promise<void> {
    return hasKeyboard(this.page.locator(".terminal-wrapper.active .xterm-helper-textarea, .xterm-helper-textarea").last());
  }

  /** The tab of a terminal. There are tabs of several alone; one is named in the panel's title. */
  tabOfTerminal(name: RegExp): Locator {
    return this.page.locator(".terminal-tabs-entry, .single-terminal-tab", { hasText: name }).first();
  }

  /** The extension's own item in the status bar. */
  get status(): Locator {
    return this.page.locator("#drawbridge\\.drawbridge\\.drawbridge\\.status");
  }

  get terminal(): Locator {
    return this.page.locator(".xterm-rows").last();
  }

  /** A question that stands before everything else. */
  get dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }

  /** The notifications on the screen. */
  get toasts(): Locator {
    return this.page.locator(".notifications-toasts .notification-toast");
  }

  /** Waits for a notification. */
  async hears(text: string): Promise<void> {
    await this.#heard(text, (said) => said.isVisible());
  }

  /** Presses a button of a notification. */
  async pressIn(text: string, button: string): Promise<void> {
    await this.#heard(text, async (said) => {
      if (!(await said.isVisible())) return false;
      await this.page.mouse.move(this.#size.width / 2, this.#size.height / 3); // a hint of what was clicked last may lie over the button
      return said.getByRole("button", { name: button }).click({ timeout: 5_000 }).then(() => true, () => false);
    });
  }

  /** The editor shows not every notification at once, and none for long; the bell in the status bar has them all. */
  #heard(text: string, then: (said: Locator) => Promise<boolean>): Promise<void> {
    const center = this.page.locator(".notifications-center.visible");
    const said = this.page.locator(".notification-toast:visible, .notifications-center.visible .monaco-list-row", { hasText: text }).first();
    return until(async () => {
      if (await then(said)) return true;
      if (!(await said.isVisible()) && !(await center.isVisible())) await this.page.locator("#status\\.notifications").click();
      return false;
    }, `the notification "${text}"`);
  }

  /** Takes a picture, once in each size. */
  async shot(name: string, sizes: readonly Size[] = [this.#size]): Promise<void> {
    mkdirSync(out, { recursive: true });
    for (const size of sizes) {
      if (size !== this.#size) await this.page.setViewportSize(size);
      if (sizes.length > 1) await this.page.waitForTimeout(250); // a layout has no end that could be seen
      await this.page.screenshot({ path: join(out, `${name}-${size.width}.png`) });
    }
    if (sizes.some((size) => size !== this.#size)) await this.page.setViewportSize(this.#size);
  }

  /** Loads the window anew, as a person does it. */
  async reload(): Promise<void> {
    await Promise.all([this.page.waitForEvent("domcontentloaded", { timeout: 2 * patienceMs }), this.palette("Developer: Reload Window")]);
    await this.ready();
  }

  /** Keeps what helps to understand a failure. */
  async keep(name: string): Promise<void> {
    await this.shot(`failed-${name}`).catch(() => undefined);
    const logs = [`== browser\n${this.#console.join("\n")}`, `== server\n${this.bench.serverLog()}`, this.bench.bridgeLogs()];
    writeFileSync(join(out, `failed-${name}.log`), logs.join("\n"));
  }
}

/** Runs in the window: notes whether the next key is for a list. */
function watchKey(): void {
  const notes = globalThis as { isForList?: boolean };
  notes.isForList = false;
  addEventListener("keydown", ({ target }) => {
    notes.isForList = target instanceof Element && target.closest(".quick-input-widget") !== null;
  }, { capture: true, once: true });
}

/** Runs in the window, after that key. */
function wasForList(): boolean {
  return (globalThis as { isForList?: boolean }).isForList ?? true;
}

/** The tab of a file itself, and not of a review of it. */
export function tabOfFile(name: string): RegExp {
  return new RegExp(`^${escaped(name.replace(/^.*\//, ""))}(?! \\()`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
