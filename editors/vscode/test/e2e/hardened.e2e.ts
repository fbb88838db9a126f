/** What a person must not be led into: links in the words of others, failures without a cause, texts that go nowhere. */
import assert from "node:assert/strict";
import { hideUntilAsked, stage } from "./scene.ts";
import { greet, mend, say, script, waits, write } from "./texts.ts";

const scene = stage();

const evil = "[Review](command:drawbridge.review.acceptAll).txt";
const linking = script([waits("c0")], [write("c1", evil, "evil\n")], [say("Over.")]);
scene("Words of the model are no links in a message", { model: linking }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await hideUntilAsked(t, folder);
  const message = t.toasts.filter({ hasText: "Drawbridge asks" }).first().locator(".notification-list-item-message");
  await message.waitFor();
  assert.match((await message.innerText()).replaceAll("\u200b", ""), /\[Review\]\(command:/);
  assert.equal(await message.locator("a").count(), 0);
  await t.shot("hardened-message");
  await message.click();
  assert.equal(folder.read(evil), undefined);
});

scene("Settings of the bridge that it cannot read are named at once", { model: script([say("Hi.")]) }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  t.bench.configure("nonsense: 1\n");
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await t.view.text(/config\.yaml:1:1: unknown setting/).waitFor();
    await t.shot("hardened-settings");
  } finally {
    t.bench.configure("");
  }
  await t.palette("Drawbridge: Restart the Bridge");
  await t.view.text(/unknown setting/).waitFor({ state: "detached" });
});

scene("A draft of an earlier window is closed, and its text offered", { files: { "greet.sh": greet }, model: script([mend("c1")], [say("Over.")]) }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.question("Edit greet.sh").getByRole("button", { name: "Edit…" }).click();
  await t.activeTab(/your edit of the proposal/).waitFor();
  await t.review.draftHasKeyboard();
  await t.press("ControlOrMeta+Home");
  await t.type("MY TEXT ");
  await t.dirtyTabs.first().waitFor();
  await t.bench.keepsUnsaved("MY TEXT ");
  folder.model(script([say("I go on.")]));
  await t.reload();
  await t.hears("the window was loaded anew, and your edit of the proposal for greet.sh was not used");
  await t.tab(/your edit of the proposal/).waitFor({ state: "detached" });
  await t.dirtyTabs.first().waitFor({ state: "detached" });
  await t.shot("hardened-draft");
  assert.equal(folder.read("greet.sh"), greet);
});
