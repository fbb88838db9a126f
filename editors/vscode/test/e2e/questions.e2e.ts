/** Questions: each waits for its own answer, and nothing but an answer is one. */
import assert from "node:assert/strict";
import { until } from "./processes.ts";
import { hideUntilAsked, stage } from "./scene.ts";
import { run, say, script, waits } from "./texts.ts";

const scene = stage();

const three = script(
  [run("c1", "One", "touch one"), run("c2", "Two", "touch two"), run("c3", "Three", "touch three")], [say("Two ran.")],
);
scene("Of three questions only the one that was answered runs", { model: three }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make three files");
  for (const name of ["one", "two", "three"]) await t.view.question(`touch ${name}`).waitFor();
  await t.view.answer("touch two", "Allow");
  await until(() => folder.read("two") === "", "the file that was allowed");
  assert.equal(await t.view.questions.count(), 2);
  assert.equal(folder.read("one"), undefined);
  assert.equal(folder.read("three"), undefined);
  await t.view.answer("touch three", "Deny");
  await t.view.answer("touch one", "Deny");
  await t.view.text("Two ran.").waitFor();
  assert.equal(folder.read("one"), undefined);
  assert.equal(folder.read("three"), undefined);
});

const late = script([say("A moment.\n"), waits("c0")], [run("c1", "One", "touch one")], [say("Read.")]);
scene("A question takes neither the keyboard nor Enter from the prompt box", { model: late }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await t.view.text("A moment.").waitFor();
  await t.view.answer("until", "Allow");
  await t.view.write("and another ");
  folder.write("go", "");
  await t.view.question("touch one").waitFor();
  await t.type("thing");
  assert.equal(await t.view.box.inputValue(), "and another thing");
  await t.press("Enter");
  await t.view.text("and another thing").waitFor();
  await t.press("Enter", "Enter");
  assert.equal(await t.view.question("touch one").count(), 1);
  assert.equal(folder.read("one"), undefined);
  await t.view.answer("touch one", "Deny");
  await t.view.text("Read.").waitFor();
});

scene("Escape, and looking elsewhere, decide nothing; a notification leads back", { model: late }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await hideUntilAsked(t, folder);
  await t.toasts.first().waitFor();
  await t.toasts.first().click({ position: { x: 20, y: 8 } });
  await t.press("Escape");
  await t.toasts.first().waitFor({ state: "detached" });
  await t.palette("Drawbridge: Go to the Next Question");
  await t.view.question("touch one").waitFor();
  await t.press("Escape", "Escape");
  assert.equal(await t.view.question("touch one").count(), 1);
  assert.equal(folder.read("one"), undefined);
  await t.view.answer("touch one", "Allow");
  await t.view.text("Read.").waitFor();
  assert.equal(folder.read("one"), "");
});

scene("A hidden conversation is reached by its notification", { model: late }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await hideUntilAsked(t, folder);
  await t.toasts.getByRole("button").filter({ hasText: /Show|Review|Answer/ }).first().click();
  await t.view.question("touch one").waitFor();
  await t.view.answer("touch one", "Deny");
  await t.toasts.first().waitFor({ state: "detached" });
});

const again = script([run("c1", "One", "touch one")]);
scene("A turn that is stopped withdraws its question everywhere", { model: again }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await t.view.question("touch one").waitFor();
  await t.palette("Drawbridge: Stop");
  await t.view.question("touch one").waitFor({ state: "detached" });
  await t.view.button("Continue").waitFor();
  assert.equal(folder.read("one"), undefined);
});
