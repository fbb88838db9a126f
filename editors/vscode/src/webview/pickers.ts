/** What a session runs with: who answers, what the system allows, which model is asked and how much it reasons. */
import { el, setHidden } from "./elements.ts";
import { post } from "./host.ts";
import { Picker } from "./picker.ts";
import type { ChoiceGroup } from "./listbox.ts";
import type { Scene } from "./scene.ts";
import { modeWords, presetWords, thinkingWords, tokens } from "./words.ts";
import { modes, presets, thinkingLevels } from "../protocol.gen.ts";
import type { Mode, Preset, Session, Thinking } from "../protocol.gen.ts";

export class Pickers {
  readonly element = el("div", { class: "pickers" });
  readonly #mode = new Picker({ name: "Mode", icon: "shield", empty: "No modes" }, (id) =>
    post({ kind: "configure", mode: pickOf(modes, id) }),
  );
  readonly #preset = new Picker({ name: "Limits", icon: "lock", empty: "No limits" }, (id) =>
    post({ kind: "configure", preset: pickOf(presets, id) }),
  );
  readonly #model: Picker;
  /** What the choices were made of, so that they are made again only when it changed. */
  #made: readonly unknown[] = [];

  constructor() {
    this.#model = new Picker(
      { name: "Model", icon: "sparkle", empty: "Asking the providers…", filterFrom: 10 },
      pickModel,
      () => post({ kind: "listModels" }),
    );
    this.element.append(this.#mode.element, this.#preset.element, this.#model.element);
  }

  update(scene: Scene): void {
    const session = scene.conversation?.session;
    setHidden(this.element, !session);
    if (!session) return;
    const made = [
      session.mode,
      session.preset,
      session.model,
      session.thinking,
      scene.modes,
      scene.presets,
      scene.models,
      scene.providers,
    ];
    if (made.every((part, i) => part === this.#made[i])) return;
    this.#made = made;
    this.#mode.show(modeWords[session.mode].label, modeWords[session.mode].detail);
    this.#mode.choices([{ title: "Who decides", choices: scene.modes.map((mode) => modeChoice(mode, session)) }]);
    this.#preset.show(presetWords[session.preset].label, presetWords[session.preset].detail);
    this.#preset.choices([
      {
        title: "What the system allows, whatever is answered",
        choices: scene.presets.map((p) => presetChoice(p, session)),
      },
    ]);
    this.#model.show(session.model ? modelName(session.model) : "No model", session.model || "No model is chosen");
    this.#model.choices(modelGroups(scene, session));
  }
}

function modeChoice(mode: Mode, session: Session) {
  return { id: mode, ...modeWords[mode], isChosen: mode === session.mode };
}

function presetChoice(preset: Preset, session: Session) {
  return { id: preset, ...presetWords[preset], isChosen: preset === session.preset };
}

function modelGroups(scene: Scene, session: Session): ChoiceGroup[] {
  const groups = new Map<string, ChoiceGroup["choices"][number][]>();
  for (const model of scene.models ?? []) {
    const detail = model.contextTokens === undefined ? undefined : `${tokens(model.contextTokens)} context`;
    const choices = groups.get(model.provider) ?? [];
    choices.push({
      id: `model ${model.id}`,
      label: model.name,
      ...(detail && { detail }),
      isChosen: model.id === session.model,
    });
    groups.set(model.provider, choices);
  }
  const missing = scene.providers.filter(({ ready }) => !ready);
  const found: ChoiceGroup[] = [...groups].map(([title, choices]) => ({ title, choices }));
  if (found.length > 0) {
    found.push({
      title: "Reasoning",
      choices: thinkingLevels.map((level) => ({
        id: `thinking ${level}`,
        label: thinkingWords[level],
        isChosen: level === session.thinking,
      })),
    });
  }
  found.push({
    title: "Not ready",
    choices: missing.map(({ name, hint }) => ({
      id: `key ${name}`,
      label: `${name}: set a key…`,
      icon: "key",
      ...(hint !== undefined && { detail: hint }),
    })),
  });
  return found;
}

function pickModel(id: string): void {
  const [what = "", ...rest] = id.split(" ");
  const value = rest.join(" ");
  if (what === "model") post({ kind: "configure", model: value });
  else if (what === "thinking") post({ kind: "configure", thinking: pickOf<Thinking>(thinkingLevels, value) });
  else post({ kind: "setKey", provider: value });
}

/** Without its provider, and without the folders that some names have. */
function modelName(id: string): string {
  const name = id.slice(id.indexOf(":") + 1);
  return name.slice(name.lastIndexOf("/") + 1) || name;
}

function pickOf<T extends string>(words: readonly T[], id: string): T {
  const word = words.find((w) => w === id);
  if (word === undefined) throw new Error(`${id} is not one of ${words.join(", ")}`);
  return word;
}
