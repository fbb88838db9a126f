/** The conversation view as a person sees it. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { hasKeyboard } from "./processes.ts";

export class ConversationView {
  readonly frame: FrameLocator;
  readonly box: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.frame = page.frameLocator('iframe.webview.ready[src*="drawbridge.drawbridge"]').frameLocator("#active-frame");
    this.box = this.frame.getByRole("textbox", { name: "Prompt" });
  }

  /** Types into the prompt box. */
  async write(text: string): Promise<void> {
    await this.box.click();
    await hasKeyboard(this.box);
    await this.#page.keyboard.type(text);
  }

  /** Types into the prompt box and sends it. */
  async say(text: string): Promise<void> {
    await this.write(text);
    await this.frame.locator("button.send:enabled").waitFor(); // the bridge may still be starting
    await this.#page.keyboard.press("Enter");
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** What the model or the view says. */
  text(text: string | RegExp): Locator {
    return this.frame.getByText(text).first();
  }

  /** The card of a tool call, by its title. */
  card(title: string): Locator {
    return this.frame.getByRole("article").filter({ has: this.frame.locator(".call-title", { hasText: title }) });
  }

  /** An open question, by its title. */
  question(title: string | RegExp): Locator {
    return this.frame.getByRole("region", { name: title });
  }

  /** The commands that run on their own, above the prompt box. */
  get running(): Locator {
    return this.frame.getByRole("region", { name: "Running commands" });
  }

  /** What is said where the last turn ended. */
  get end(): Locator {
    return this.frame.getByRole("region", { name: "End of the turn" }).last();
  }

  get questions(): Locator {
    return this.frame.locator("section.question");
  }

  hunk(question: Locator, number: number): Locator {
    return question.getByRole("group", { name: new RegExp(`^Hunk ${number} `) });
  }

  /** Clicks an answer of a question. */
  async answer(title: string | RegExp, label: string): Promise<void> {
    await this.question(title).getByRole("button", { name: label, exact: true }).click();
    await this.question(title).waitFor({ state: "detached" });
  }

  async deny(title: string, reason: string): Promise<void> {
    const question = this.question(title);
    await question.getByRole("button", { name: "Deny with a reason…" }).click();
    await hasKeyboard(question.getByRole("textbox", { name: "Reason of the denial" }));
    await this.#page.keyboard.type(reason);
    await question.locator(".reason").getByRole("button", { name: "Deny" }).click();
    await question.waitFor({ state: "detached" });
  }

  /** How far the page itself is scrolled: the conversation scrolls inside it, and nothing else should. */
  scrolledAway(): Promise<number> {
    return this.frame.locator("html").evaluate((e) => e.scrollTop + (e.querySelector("body")?.scrollTop ?? 0));
  }

  /** What axe-core finds that keeps people from using the view. */
  async barriers(): Promise<string[]> {
    const body = await this.frame.locator("body").elementHandle();
    const frame = await body?.ownerFrame();
    if (!frame) throw new Error("the view is not there");
    await frame.evaluate(axeSource());
    const found = await frame.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const { violations } = await axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, where: nodes.map((n) => n.html) }));
    });
    return found.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, impact, help, where }) => `${impact} ${id}: ${help}\n  ${where.slice(0, 5).join("\n  ")}`);
  }
}

interface Axe {
  run(of: unknown, options: unknown): Promise<{
    violations: { id: string; impact: string; help: string; nodes: { html: string }[] }[];
  }>;
}

function axeSource(): string {
  return readFileSync(join(resolve(import.meta.dirname, "../.."), "node_modules/axe-core/axe.min.js"), "utf8");
}
