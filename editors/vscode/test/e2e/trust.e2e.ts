/**
 * A folder that is not trusted: the agent can look, and changes nothing whatever the folder's settings say. A command is
 * asked about, and writes nothing even when it is allowed.
 */
import assert from "node:assert/strict";
import { stage } from "./scene.ts";
import { greet, mend, read, run, say, script } from "./texts.ts";

const scene = stage({ trust: true });

const greedy = { "drawbridge.mode": "allow-all", "drawbridge.preset": "full-access" };
const tries = script(
  [read("c1", "greet.sh"), mend("c2"), run("c3", "Make a file", "touch made")],
  ['want c1 "Helo"', 'want c3 "Read-only file system"', say("That was tried.")],
);
scene("Nothing is changed in a folder that is not trusted", { files: { "greet.sh": greet }, model: tries, settings: greedy }, async (t, folder) => {
  await t.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await t.palette("Drawbridge: Open Conversation");
  await t.view.text(/not trusted/i).waitFor();
  await t.shot("trust-restricted");
  assert.deepEqual(await t.view.barriers(), []);
  await t.view.say("Mend the greeting");
  await t.view.answer("touch made", "Allow");
  await t.view.text("That was tried.").waitFor();
  await t.shot("trust-tried");
  assert.equal(folder.read("greet.sh"), greet);
  assert.equal(folder.read("made"), undefined);
});
