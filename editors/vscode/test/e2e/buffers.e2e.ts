/** Documents and their files: encodings, files that commands change, and what other extensions say of an edit. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import { edit, greet, mend, read, run, say, script } from "./texts.ts";

// Whoever looks at a text may take his time here.
const scene = stage({ settings: { "drawbridge.mode": "auto-edit" }, bridge: "diagnostics:\n  wait: 30s\n" });

/** "こんにちは" and "世界" in Shift-JIS. */
const konnichiwa = Buffer.from([0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf, 0x82, 0xcd]);
const sekai = Buffer.from([0x90, 0xa2, 0x8a, 0x45]);
const bytes = (...parts: readonly (Buffer | string)[]): Buffer => Buffer.concat(parts.map((p) => (typeof p === "string" ? Buffer.from(p) : p)));

const encoded = script(
  [read("c1", "open.txt")], ['want c1 "こんにちは"', edit("c2", "open.txt", "Helo", "Hello 世界")],
  [edit("c3", "shut.txt", "Helo", "Hello 世界")], ['want c3 "+Hello 世界"', say("Greeted.")],
);
scene("A file of another encoding is edited in it, open and closed", { model: encoded, settings: { "files.encoding": "shiftjis" } }, async (t, folder) => {
  const path = (name: string): string => join(folder.path, name);
  for (const name of ["open.txt", "shut.txt"]) writeFileSync(path(name), bytes(konnichiwa, "\nHelo\n"));
  await t.openFile("shut.txt");
  await t.palette("View: Close Editor");
  await t.openFile("open.txt");
  await t.line("こんにちは").waitFor();
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Greet the world");
  await t.view.text("Greeted.").waitFor();
  const want = bytes(konnichiwa, "\nHello ", sekai, "\n");
  assert.deepEqual(readFileSync(path("shut.txt")), want);
  await t.line("Hello 世界").waitFor();
  await t.save("open.txt");
  await until(() => readFileSync(path("open.txt")).equals(want), "open.txt in its encoding");
});

const sed = script(
  [run("c1", "Mend it", "sed -i 's/Helo, $1, you/Good day, $1, you/' greet.sh")],
  [mend("c2")], ['want c2 "Hello, $1."', say("Both are there.")],
);
scene("A file that a command changed is shown and edited as it is now", { files: { "greet.sh": greet }, model: sed }, async (t, folder) => {
  await t.openFile("greet.sh");
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.answer("sed -i", "Allow");
  await t.view.text("Both are there.").waitFor();
  await t.line("Good day, $1, you are early.").waitFor();
  await t.line("Hello, $1, come in.").waitFor();
  await t.save("greet.sh");
  const want = greet.replace("Helo, $1, you", "Good day, $1, you").replaceAll("Helo", "Hello");
  await until(() => folder.read("greet.sh") === want, "both changes in the file");
  await t.dirtyTabs.first().waitFor({ state: "detached" });
});

const judged = script(
  [edit("c1", "data.json", '"a": ,', '"a": 1,')], ['want c1 "1 gone"', edit("c2", "data.json", '"b": 2', '"b": ')],
  ['want c2 "1 new"', 'want c2 "Value expected"', say("The editor has told me.")],
);
scene("What an edit breaks and mends is told to the model", { files: { "data.json": '{\n  "a": ,\n  "b": 2\n}\n' }, model: judged }, async (t) => {
  await t.openFile("data.json");
  await t.page.locator(".squiggly-error").first().waitFor();
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the data");
  await t.view.text("The editor has told me.").waitFor();
});
