/** What a session runs with: who answers, what the system allows, which model is asked and how much it reasons. */
import { el, setHidden } from "./elements.ts";
import { post } from "./host.ts";
import { Picker } from "./picker.ts";
import type { Choice, ChoiceGroup } from "./listbox.ts";
import type { Scene } from "./scene.ts";
import { thinkingWords } from "./words.ts";
import { aboutModel, modelName } from "../model/models.ts";
import { modeName, modeWords, presetName, presetWords } from "../model/modes.ts";
import { modes, presets, thinkingLevels } from "../protocol.gen.ts";
import type { Mode, Preset, Provider, Session, Thinking } from "../protocol.gen.ts";

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
      { name: "Model", icon: "sparkle", empty: "No model", filterFrom: 14 },
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
      scene.conversation?.modelNow,
      scene.modes,
      scene.presets,
      scene.models,
      scene.providers,
    ];
    if (made.every((part, i) => part === this.#made[i])) return;
    this.#made = made;
    const mode = modeWords[session.mode];
    this.#mode.show(mode.label, `${modeName(session.mode)}: ${mode.detail}`);
    this.#mode.choices([{ title: "Who decides", choices: scene.modes.map((mode) => modeChoice(mode, session)) }]);
    const preset = presetWords[session.preset];
    this.#preset.show(preset.label, `${presetName(session.preset)}: ${preset.detail}`);
    this.#preset.choices([
      {
        title: "What the system allows, whatever is answered",
        choices: scene.presets.map((p) => presetChoice(p, session)),
      },
    ]);
    const model = modelNow(scene, session);
    if (model) this.#model.show(modelName(model), model);
    else if (scene.providers.some(({ ready }) => ready)) this.#model.show("Default model", "The first provider that has a key answers");
    else this.#model.show("No model", "No model is chosen");
    this.#model.choices(modelGroups(scene, session, model));
  }
}

function modeChoice(mode: Mode, session: Session) {
  return { id: mode, label: modeName(mode), detail: modeWords[mode].detail, isChosen: mode === session.mode };
}

function presetChoice(preset: Preset, session: Session) {
  return { id: preset, label: presetName(preset), detail: presetWords[preset].detail, isChosen: preset === session.preset };
}

/** The session's own; where it names none, the one that answers. */
function modelNow(scene: Scene, session: Session): string {
  return session.model || scene.conversation?.modelNow || "";
}

/** The current one, what can be asked, a way to any other, how much it reasons, and last what lacks a key. */
function modelGroups(scene: Scene, session: Session, now: string): ChoiceGroup[] {
  const models = scene.models ?? [];
  const isListed = models.some(({ id }) => id === now);
  const groups = new Map<string, Choice[]>();
  for (const model of models) {
    const detail = aboutModel(model);
    const choices = groups.get(model.provider) ?? [];
    choices.push({ id: `model ${model.id}`, label: model.name, ...(detail && { detail }), isChosen: model.id === now });
    groups.set(model.provider, choices);
  }
  return [
    { title: "Now", choices: now === "" || isListed ? [] : [{ id: `model ${now}`, label: now, isChosen: true }] },
    ...[...groups].map(([title, choices]) => ({ title, choices })),
    {
      title: scene.models ? "By its name" : "Asking the providers…",
      choices: [{ id: "other", label: "Other model…", detail: "PROVIDER:NAME", icon: "edit" }],
    },
    { title: "Reasoning", choices: now === "" ? [] : thinkingLevels.map((level) => thinkingChoice(level, session)) },
    { title: "Not ready", choices: scene.providers.filter(({ ready }) => !ready).map(keyChoice) },
  ];
}

function thinkingChoice(level: Thinking, session: Session): Choice {
  return { id: `thinking ${level}`, label: thinkingWords[level], isChosen: level === session.thinking };
}

function keyChoice({ name, hint }: Provider): Choice {
  return { id: `key ${name}`, label: `${name}: set a key…`, icon: "key", ...(hint !== undefined && { detail: hint }) };
}

function pickModel(id: string): void {
  const [what = "", ...rest] = id.split(" ");
  const value = rest.join(" ");
  if (what === "model") post({ kind: "configure", model: value });
  else if (what === "thinking") post({ kind: "configure", thinking: pickOf<Thinking>(thinkingLevels, value) });
  else if (what === "other") post({ kind: "otherModel" });
  else post({ kind: "setKey", provider: value });
}

function pickOf<T extends string>(words: readonly T[], id: string): T {
  const word = words.find((w) => w === id);
  if (word === undefined) throw new Error(`${id} is not one of ${words.join(", ")}`);
  return word;
}
