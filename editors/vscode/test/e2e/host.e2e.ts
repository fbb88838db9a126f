/** What stands around a conversation: reports, failed turns, other sessions. */
import assert from "node:assert/strict";
import { hasKeyboard } from "./processes.ts";
import { stage } from "./scene.ts";
import { say, script } from "./texts.ts";

const scene = stage();

const report = script([say("Fine.")]);
scene("A report holds what helps and no secrets", { model: report }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Hello");
  await t.view.text("Fine.").waitFor();
  await t.palette("Drawbridge: Report a Problem…");
  await t.activeTab("Drawbridge problem report").waitFor();
  await t.shot("host-report");
  await t.press("ControlOrMeta+End");
  await t.page.locator(".view-line", { hasText: /initialized|bridge/ }).first().waitFor();
  assert.equal(await t.page.locator(".view-line", { hasText: `${t.bench.folder}/home` }).count(), 0, "the home folder is not named");
});

const failing = script(['error invalid "the request cannot be understood"']);
scene("A turn that failed is tried again, and a prompt is edited and sent again", { model: failing }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Try it");
  await t.view.button("Try again").waitFor();
  await t.shot("host-failed-turn");
  folder.model(script([say("Now it works.")], ['want-user "Try it well"', say("Very well.")]));
  await t.palette("Drawbridge: Restart the Bridge");
  await t.view.button("Try again").click();
  await t.view.text("Now it works.").waitFor();
  await t.palette("Drawbridge: Edit and Resend the Last Prompt");
  const editor = t.view.frame.getByRole("textbox", { name: "The prompt, to be sent again" });
  await hasKeyboard(editor);
  await t.press("End");
  await t.type(" well");
  await t.press("Enter");
  await t.view.text("Very well.").waitFor();
  await t.shot("host-resent");
});

const first = script([say("The first conversation.")]);
scene("Another session is begun, and the first one taken up", { model: first }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("One");
  await t.view.text("The first conversation.").waitFor();
  folder.model(script([say("The second conversation.")]));
  await t.palette("Drawbridge: New Session");
  await t.view.text("The first conversation.").waitFor({ state: "detached" });
  await t.view.say("Two");
  await t.palette("Drawbridge: Sessions…");
  await t.shot("host-sessions");
  await t.quickPick("One").click();
  await t.view.text("The first conversation.").waitFor();
});
