/** Settings files, models, tools and pictures, as a person reads of them. */
import assert from "node:assert/strict";
import { isAbsolute } from "node:path";
import { test } from "node:test";
import { aboutModel } from "../../src/model/models.ts";
import { addressOf, altOf, fileNameOf } from "../../src/model/pictures.ts";
import { profileName, profileWordsOf } from "../../src/model/profiles.ts";
import { appliedWords, placelessWords, problemIn, rangeOf, refusedWords, userSettingsPath } from "../../src/model/settings-words.ts";

const fault = { file: "/home/ada/.config/drawbridge/config.yaml", line: 3, column: 1, message: 'unknown setting "preste"; did you mean preset?' };

test("what became of changed settings is said in a line", () => {
  assert.equal(
    appliedWords({ applied: true, changed: ["approval.rules", "profile"], later: ["profile: new sessions only"], problems: [] }),
    "Drawbridge's settings were read again: approval.rules, profile · profile: new sessions only",
  );
  assert.equal(appliedWords({ applied: true, changed: [], problems: [] }), "Drawbridge's settings were read again: nothing changed");
  assert.match(appliedWords({ applied: true, changed: ["a", "b", "c", "d", "e"], problems: [] }), /a, b, c, d and 1 more$/);
  assert.equal(
    refusedWords({ applied: false, changed: [], problems: [{ ...fault, line: 7, message: "only a warning", warning: true }, fault, { ...fault, line: 0 }] }),
    'Drawbridge\'s settings have a fault, and what was read last counts: drawbridge/config.yaml, line 3: unknown setting "preste"; did you mean preset? (and 1 more)',
  );
  assert.equal(refusedWords({ applied: false, changed: [], problems: [] }), "Drawbridge's settings have a fault, and what was read last counts");
});

test("what is wrong nowhere in particular is said all the same", () => {
  const problem = { file: "", line: 0, column: 0, message: "approval.rules: entry 2 counts for nothing", warning: true };
  assert.equal(placelessWords([problem]), "Drawbridge's settings: approval.rules: entry 2 counts for nothing");
  assert.match(placelessWords([problem, problem]), / \(and 1 more\)$/);
});

test("a problem leads to its place, one of the whole file to its beginning", () => {
  assert.deepEqual(rangeOf(fault), { line: 2, from: 0, to: 10_000 });
  assert.deepEqual(rangeOf({ ...fault, column: 5 }).from, 4);
  assert.deepEqual(rangeOf({ ...fault, column: 0 }).from, 0);
  assert.deepEqual(rangeOf({ ...fault, line: 0, column: 0 }), { line: 0, from: 0, to: 0 });
});

test("settings that keep a bridge from starting are known by what it says", () => {
  assert.deepEqual(problemIn('The bridge cannot start: drawbridge: /home/a b/config.yaml:2:7: mode: unknown value "nope": choose plan'), {
    file: "/home/a b/config.yaml", line: 2, column: 7, message: 'mode: unknown value "nope": choose plan',
  });
  assert.deepEqual(problemIn("C:\\Users\\a\\config.yaml:3: tabs")?.file, "C:\\Users\\a\\config.yaml");
  for (const words of ["unknown flag -x", "", "config.yaml:1:1: relative", "/a/b.go:1:1: panic"]) assert.equal(problemIn(words), undefined, words);
});

test("the person's own settings are where the bridge looks for them", () => {
  assert.equal(userSettingsPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/h", isAbsolute), "/x/drawbridge/config.yaml");
  assert.equal(userSettingsPath({ XDG_CONFIG_HOME: "x", HOME: "/h" }, "/other", isAbsolute), "/h/.config/drawbridge/config.yaml");
  assert.equal(userSettingsPath({}, "/h", isAbsolute), "/h/.config/drawbridge/config.yaml");
  assert.equal(userSettingsPath({}, "", isAbsolute), undefined);
});

test("what is known of a model stands in one line, and nothing else", () => {
  assert.equal(aboutModel({ contextTokens: 200_000, vision: true, price: { input: 3, output: 15 } }), "200k context · sees pictures · $3 in, $15 out per million");
  assert.equal(aboutModel({ vision: false, price: { input: 0.125, output: 1.25 } }), "text only · $0.125 in, $1.25 out per million");
  assert.equal(aboutModel({ price: { input: 0, output: 0 } }), "free");
  assert.equal(aboutModel({}), "");
});

test("sets of tools have words, and one that is not known its name", () => {
  assert.equal(profileName("compact"), "Compact tools (compact)");
  assert.equal(profileWordsOf("constructor").label, "constructor");
  assert.deepEqual(profileWordsOf("new").preset, "read-only");
});

test("only pixels are pictures", () => {
  assert.equal(addressOf({ mimeType: "image/png", data: "AAAA" }), "data:image/png;base64,AAAA");
  for (const mimeType of ["image/svg+xml", "text/html", "image/png;x", "constructor", "IMAGE/PNG"]) assert.equal(addressOf({ mimeType, data: "AAAA" }), undefined, mimeType);
  for (const data of ["", "AA\"", "AA AA", "data:,", "AA=A"]) assert.equal(addressOf({ mimeType: "image/png", data }), undefined, data);
});

test("a picture has words for those who do not see it, and a name for its tab", () => {
  const images = [{ mimeType: "image/png", data: "AAAA" }, { mimeType: "image/jpeg", data: "AAAA" }] as const;
  assert.equal(altOf({ title: "Read a.png", text: "image/png, 68 B\nmore", images: images.slice(0, 1) }, 0), "Picture: Read a.png: image/png, 68 B");
  assert.equal(altOf({ title: "Read \u202ea", text: "", images }, 1), "Picture 2 of 2: Read ⟨U+202E⟩a");
  assert.equal(fileNameOf({ title: "Read docs/logo.final.png" }, images[0]), "logo.final.png");
  assert.equal(fileNameOf({ title: "Read https://e.test/x.php?id=../../7" }, images[1]), "7.jpg");
  assert.equal(fileNameOf({ title: "Read /" }, images[0]), "Read.png");
  assert.equal(fileNameOf({ title: "../.." }, images[0]), "picture.png");
});
