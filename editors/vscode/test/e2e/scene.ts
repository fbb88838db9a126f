/**
 * A test is a scene: a folder, what the model says, a window on them, and what
 * a person then does and sees. The scenes of a file share one workbench; each
 * has its own folder, window and bridge.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { User, wide } from "./user.ts";
import type { Size } from "./user.ts";
import { Workbench } from "./workbench.ts";
import type { Setup } from "./workbench.ts";

export interface Scene {
  readonly files?: Readonly<Record<string, string>>;
  /** What the model says: a script as docs/scripts.md describes it. */
  readonly model: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: keyof typeof themes;
  readonly size?: Size;
}

export const themes = { dark: "Dark Modern", light: "Light Modern", contrast: "Default High Contrast" } as const;

/** The folder of a scene, beside the editor: as the next program sees it. */
export class Folder {
  readonly path: string;
  readonly #script: string;

  constructor(path: string, script: string) {
    this.path = path;
    this.#script = script;
  }

  /** The text of a file; undefined where there is none. */
  read(name: string): string | undefined {
    const path = join(this.path, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Writes down what another model says; the path is its name. */
  script(name: string, script: string): string {
    const path = `${this.#script}.${name}`;
    writeFileSync(path, script);
    return path;
  }

  /** What settings call the model. */
  get modelName(): string {
    return `script:${this.#script}`;
  }

  /** What the model says to the next bridge; each begins its script anew. */
  model(script: string): void {
    writeFileSync(this.#script, script);
  }
}

/** Has the model go on only once the conversation is hidden; it runs what waits() says. */
export async function hideUntilAsked(user: User, folder: Folder): Promise<void> {
  await user.view.answer("until", "Allow");
  await user.palette("View: Show Explorer");
  await user.page.locator(".explorer-viewlet").waitFor();
  folder.write("go", "");
}

export type Play = (user: User, folder: Folder) => Promise<void>;

/** Starts a workbench for the scenes of a file; the function returned adds one. */
export function stage(setup?: Setup): (name: string, scene: Scene, play: Play) => void {
  let bench: Workbench | undefined;
  before(async () => {
    bench = await Workbench.start(setup);
  });
  after(() => bench?.stop());
  return (name, scene, play) => {
    test(name, async () => {
      if (!bench) throw new Error("there is no workbench");
      await playScene(bench, name, scene, play);
    });
  };
}

async function playScene(bench: Workbench, name: string, scene: Scene, play: Play): Promise<void> {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, 60);
  const scripts = join(bench.folder, "scripts");
  mkdirSync(scripts, { recursive: true });
  const script = join(scripts, `${slug}.txt`);
  bench.set({ "drawbridge.model": `script:${script}` }); // a workspace's own settings cannot name a script
  const folder = new Folder(bench.workspace(slug, scene.files ?? {}, {
    "workbench.colorTheme": themes[scene.theme ?? "dark"],
    ...scene.settings,
  }), script);
  folder.model(scene.model);
  const user = await User.open(bench, folder.path, scene.size ?? wide);
  try {
    await play(user, folder);
  } catch (error) {
    await user.keep(slug);
    throw error;
  } finally {
    await user.close();
  }
}
