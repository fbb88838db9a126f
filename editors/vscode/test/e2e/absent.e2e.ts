/** A bridge that cannot be started. Which program it is only the user's own settings say. */
import assert from "node:assert/strict";
import { stage } from "./scene.ts";
import { say, script } from "./texts.ts";

const scene = stage({ settings: { "drawbridge.path": "/nowhere/drawbridge" } });

scene("A program that is not there is named, with a button that helps", { model: script([say("Hi.")]) }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.text("There is no program at /nowhere/drawbridge").waitFor();
  await t.shot("host-missing-program");
  assert.deepEqual(await t.view.barriers(), []);
  await t.view.button(/settings/i).first().click();
  await t.page.locator(".settings-editor").getByText("Drawbridge: Path").first().waitFor();
});
