/** The view in a browser, alone: the extension's side is played, and what the view says to it is kept. */
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { themes } from "./themes.ts";
import type { ThemeName } from "./themes.ts";
import type { FromView, ToView } from "../../src/conversation/messages.ts";

const extension = resolve(import.meta.dirname, "../..");

/** Where the screenshots go; git ignores it. */
export const out = join(import.meta.dirname, "out");

const address = "https://view.test";

export function browserPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

export class Theatre {
  readonly #browser: Browser;
  readonly #files: ReadonlyMap<string, Uint8Array>;

  private constructor(browser: Browser, files: ReadonlyMap<string, Uint8Array>) {
    this.#browser = browser;
    this.#files = files;
  }

  static async open(executablePath: string): Promise<Theatre> {
    mkdirSync(out, { recursive: true });
    const { outputFiles } = await build({
      entryPoints: [join(extension, "src/webview/main.ts")],
      outfile: join(extension, "dist/webview.js"),
      write: false,
      bundle: true,
      platform: "browser",
      target: "es2022",
      format: "iife",
      loader: { ".ttf": "file" },
      assetNames: "[name]",
      logLevel: "warning",
    });
    const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf("/")), contents]));
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
    });
    return new Theatre(browser, files);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async stage(theme: ThemeName = "dark", width = 380, height = 720): Promise<Stage> {
    const context = await this.#browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (fault) => faults.push(String(fault)));
    page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
    const foreign: string[] = [];
    await page.route("**/*", (route) => {
      const { origin, pathname } = new URL(route.request().url());
      const file = this.#files.get(pathname);
      if (origin !== address) {
        foreign.push(route.request().url());
        return route.abort();
      }
      if (pathname === "/") return route.fulfill({ contentType: "text/html", body: html(theme) });
      return file
        ? route.fulfill({ contentType: types[pathname.split(".").at(-1) ?? ""] ?? "", body: Buffer.from(file) })
        : route.abort();
    });
    await page.goto(address);
    return new Stage(page, theme, faults, foreign);
  }
}

export class Stage {
  readonly page: Page;
  readonly theme: ThemeName;
  /** Errors of the page; a content security policy that is in the way is one. */
  readonly faults: readonly string[];
  /** Addresses elsewhere that the page asked for. */
  readonly foreign: readonly string[];

  constructor(page: Page, theme: ThemeName, faults: readonly string[], foreign: readonly string[]) {
    this.page = page;
    this.theme = theme;
    this.faults = faults;
    this.foreign = foreign;
  }

  async tell(...messages: ToView[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const data of all) window.dispatchEvent(new MessageEvent("message", { data }));
    }, messages);
    await this.settled();
  }

  /** What is due has been drawn. */
  async settled(): Promise<void> {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  /** What the view said, of one kind. */
  async said<K extends FromView["kind"]>(kind: K): Promise<Extract<FromView, { kind: K }>[]> {
    const all = await this.page.evaluate(() => (window as unknown as { said: FromView[] }).said);
    return all.filter((message): message is Extract<FromView, { kind: K }> => message.kind === kind);
  }

  async shot(name: string): Promise<void> {
    const width = this.page.viewportSize()?.width ?? 0;
    await this.page.screenshot({ path: join(out, `${name}-${this.theme}-${width}.png`) });
  }

  /** The element that has the keyboard, in words. */
  async keyboard(): Promise<string> {
    return this.page.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "";
    });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css", ttf: "font/ttf" };

/** The page as the extension makes it (src/conversation/view.ts), with the theme that the editor adds. */
function html(name: ThemeName): string {
  const { body, variables } = themes[name];
  const css = Object.entries(variables)
    .map(([variable, value]) => `--vscode-${variable}: ${value};`)
    .join(" ");
  const policy =
    "default-src 'none'; style-src 'self' 'nonce-theme'; font-src 'self'; img-src 'self' data:; script-src 'nonce-view'";
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Conversation</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/webview.css"><style nonce="theme">html { ${css} }</style></head>
<body class="${body}"><main id="app"></main>
<script nonce="view">window.said = []; window.acquireVsCodeApi = () => ({ postMessage: (m) => window.said.push(structuredClone(m)) });</script>
<script nonce="view" src="/webview.js"></script></body></html>`;
}
