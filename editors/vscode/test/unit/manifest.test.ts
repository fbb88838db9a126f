import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { modeName, presetName } from "../../src/model/modes.ts";
import { profileWords } from "../../src/model/profiles.ts";
import { modes, presets, profiles } from "../../src/protocol.gen.ts";
import { commands as reviewCommands } from "../../src/review/actions.ts";

interface Manifest {
  readonly icon: string;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly icon: string }[];
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly when?: string }[];
    readonly menus: { readonly [menu: string]: readonly { readonly command: string }[] };
    readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
    readonly yamlValidation: readonly { readonly fileMatch: string; readonly url: string }[];
    readonly configuration: { readonly properties: { readonly [name: string]: Setting } };
  };
}

interface Setting {
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly enumItemLabels?: readonly string[];
  readonly default: unknown;
  readonly scope: string;
}

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const { commands, keybindings, menus, configuration, viewsContainers, yamlValidation } = manifest.contributes;
const known = new Set(commands.map((c) => c.command));
const setting = (name: string): Setting => {
  const found = configuration.properties[name];
  assert.ok(found, name);
  return found;
};

test("modes and presets that can be set are those of the wire, each explained", () => {
  for (const [name, words] of [["drawbridge.mode", modes], ["drawbridge.preset", presets]] as const) {
    assert.deepEqual(setting(name).enum, [...words]);
    assert.equal(setting(name).enumDescriptions?.length, words.length);
  }
  assert.deepEqual(setting("drawbridge.mode").enumItemLabels, modes.map(modeName));
  assert.deepEqual(setting("drawbridge.preset").enumItemLabels, presets.map(presetName));
  assert.equal(setting("drawbridge.mode").default, "always-ask");
  assert.equal(setting("drawbridge.preset").default, "workspace-write");
});

test("the sets of tools that can be set are those of the wire, in the view's words", () => {
  const { enum: words, enumItemLabels, enumDescriptions, default: unset } = setting("drawbridge.profile");
  assert.deepEqual(words, ["", ...profiles]);
  assert.deepEqual(enumItemLabels?.slice(1), profiles.map((p) => profileWords[p].label));
  assert.deepEqual(enumDescriptions?.slice(1), profiles.map((p) => profileWords[p].detail));
  assert.equal(unset, "");
});

test("what decides about permission cannot be set by a workspace", () => {
  for (const name of ["drawbridge.path", "drawbridge.env", "drawbridge.mode", "drawbridge.preset", "drawbridge.profile"]) {
    assert.ok(["machine", "application"].includes(setting(name).scope), name);
    assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
  }
});

test("a workspace's model waits for its trust", () => {
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("drawbridge.model"));
});

test("keys and menus name commands that exist, and so does the review", () => {
  for (const { command } of [...keybindings, ...Object.values(menus).flat()]) assert.ok(known.has(command), command);
  for (const command of Object.values(reviewCommands)) assert.ok(known.has(command), command);
});

test("to reject and to undo look different wherever they are offered", () => {
  const icon = (name: string): string | undefined => commands.find((c) => c.command === `drawbridge.review.${name}`)?.icon;
  assert.deepEqual([icon("rejectHunk"), icon("rejectFile"), icon("undoFile")], ["$(close)", "$(close)", "$(discard)"]);
  assert.deepEqual(commands.filter((c) => c.icon === "$(discard)").map((c) => c.command), ["drawbridge.review.undoFile"]);
});

test("no key acts everywhere", () => {
  for (const { command, when } of keybindings) assert.ok(when, `${command} has no condition`);
});

test("the settings files of the bridge have schemas, which are packed", () => {
  const packed = readFileSync(join(root, ".vscodeignore"), "utf8");
  assert.match(packed, /^!schemas\/\*\.json$/m);
  assert.deepEqual(yamlValidation.map(({ fileMatch }) => fileMatch), ["**/.drawbridge/config.yaml", "**/.config/drawbridge/config.yaml"]);
  for (const { url } of yamlValidation) {
    const schema = JSON.parse(readFileSync(join(root, url), "utf8")) as { readonly properties: object };
    assert.ok(Object.keys(schema.properties).length > 3, url);
  }
});

test("the icons are there", () => {
  for (const icon of [manifest.icon, ...viewsContainers.activitybar.map((c) => c.icon)]) assert.ok(existsSync(join(root, icon)), icon);
});
