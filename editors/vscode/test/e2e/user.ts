/**
 * A person at one window. Everything here is done by clicks and keys and seen
 * on the screen; nothing reaches into the extension.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { ConversationView } from "./conversation.ts";
import { until } from "./processes.ts";
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
    context.setDefaultTimeout(30_000);
    // Nothing but this machine is ever asked for anything.
    await context.route((url) => url.protocol.startsWith("http") && url.hostname !== "127.0.0.1", (route) => route.abort());
    const user = new User(bench, context, await context.newPage(), size);
    await user.page.goto(bench.address(workspace), { waitUntil: "commit" });
    await user.ready();
    return user;
  }

  /** The extension has started when its item is in the status bar. */
  async ready(): Promise<void> {
    await this.page.locator("#drawbridge\\.drawbridge\\.drawbridge\\.status").waitFor({ timeout: 90_000 });
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
    for (let tries = 1; ; tries++) {
      try {
        await this.press("F1");
        await this.quickInput.fill(`>${title}`, { timeout: 2_000 });
        await row.waitFor({ timeout: 2_000 });
        break;
      } catch (error) {
        if (tries === 10) throw error;
        await this.press("Escape");
      }
    }
    while (!(await row.getAttribute("class"))?.includes("focused")) await this.press("ArrowDown");
    await this.press("Enter");
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
    await this.press("ControlOrMeta+p");
    await this.quickInput.waitFor();
    await this.quickInput.fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.press("Enter");
    await this.activeTab(new RegExp(`^${escaped(name.replace(/^.*\//, ""))}(?! \\()`)).waitFor();
    await this.page.locator(".editor-instance .monaco-editor.focused .view-line").first().waitFor();
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
    await this.type(text);
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

  /** Takes a picture, once in each size. */
  /** Waits for a notification. The editor does not show every one at once; the bell in the status bar has them all. */
  async hears(text: string): Promise<void> {
    const center = this.page.locator(".notifications-center.visible");
    const said = this.page.locator(".notifications-toasts, .notifications-center.visible").getByText(text).first();
    await until(async () => {
      if (await said.isVisible()) return true;
      if (!(await center.isVisible())) await this.page.locator("#status\\.notifications").click();
      return false;
    }, 20_000, `the notification "${text}"`);
  }

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
    await this.palette("Developer: Reload Window");
    await this.page.waitForEvent("domcontentloaded");
    await this.ready();
  }

  /** Keeps what helps to understand a failure. */
  async keep(name: string): Promise<void> {
    await this.shot(`failed-${name}`).catch(() => undefined);
    const logs = [`== browser\n${this.#console.join("\n")}`, `== server\n${this.bench.serverLog()}`, this.bench.bridgeLogs()];
    writeFileSync(join(out, `failed-${name}.log`), logs.join("\n"));
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
