/** Subagents at work, other sets of tools, a picture, and settings that change while the bridge runs. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { hasKeyboard, processesOf, until } from "./processes.ts";
import { stage } from "./scene.ts";
import { firstAndThird, greet, mend, read, run, say, script } from "./texts.ts";

const scene = stage();

/** The words of a subagent, and where they stand. */
const mends = script(
  [say("I look at it first.\n"), read("k1", "greet.sh")],
  ['want k1 "Helo"', mend("k2")],
  ['want k2 "2 of 3"', run("k3", "Count", "grep -c Hello greet.sh")],
  ['want k3 "2"', say("Two of three were mended.")],
);
// Its model says nothing more, however soon the command is left to itself.
const watches = script([run("k1", "Watch", "touch watched; sleep 1000")], "stall");
const starts = (one: string, other: string): string => script(
  [start("r1", "Watch the folder", other, { run_in_background: true }), start("r2", "Mend the greeting", one)],
  ['want r1 "subagent-"', 'want r2 "Two of three were mended."', say("One has answered, one goes on.")],
);

function start(id: string, description: string, model: string, more: Readonly<Record<string, unknown>> = {}): string {
  return `call ${id} run_subagent ${JSON.stringify({ description, prompt: `${description}, please.`, provider: "script", model_id: model, ...more })}`;
}

scene("Two subagents ask at once, each in its card; one goes on in the background, and what they did is taken back with the turn", {
  files: { "greet.sh": greet }, model: "",
}, async (t, folder) => {
  folder.model(starts(folder.script("mends", mends), folder.script("watches", watches)));
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend it, and watch the folder");
  const [mending, watching] = ["Mend the greeting", "Watch the folder"].map((title) => t.view.frame.getByRole("region", { name: new RegExp(`^Subagent subagent-\\w+: ${title}`) })) as [Locator, Locator];
  await t.status.getByText("Waiting for you: 2 questions").waitFor();
  await mending.getByText("I look at it first.").waitFor();
  await mending.locator(".call-title", { hasText: "Read greet.sh" }).waitFor();
  await t.shot("subagents-two-ask");
  assert.deepEqual(await t.view.barriers(), []);
  await watching.getByRole("button", { name: "Allow", exact: true }).click();
  const question = mending.getByRole("region", { name: /^Edit greet\.sh, asked by subagent-/ });
  await question.getByRole("button", { name: "Open diff" }).click();
  await t.review.lens("Accept").first().waitFor();
  await t.review.pressAbove("you are early", "Accept");
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject" }).click();
  await t.view.hunk(question, 3).getByRole("button", { name: "Accept" }).click();
  await mending.getByRole("button", { name: "Allow", exact: true }).click();
  await t.view.text("One has answered, one goes on.").waitFor();
  assert.equal(folder.read("greet.sh"), firstAndThird);
  assert.equal(folder.read("watched"), "");
  await mending.getByRole("button", { name: /Mend the greeting.*Answered/ }).waitFor();
  await mending.getByRole("button", { name: "Show terminal" }).click();
  await t.terminal.getByText("2").waitFor();

  await t.view.running.getByRole("button", { name: /^1 subagent works/ }).click();
  await t.shot("subagents-in-the-background");
  await t.view.running.getByRole("button", { name: "Show subagent" }).click();
  await hasKeyboard(watching);
  await watching.getByRole("button", { name: "Stop subagent" }).click();
  await watching.getByRole("button", { name: /Watch the folder.*Ended/ }).waitFor();
  await t.view.running.waitFor({ state: "hidden" });
  await until(() => !processesOf(t.bench.folder).some((p) => p.command.startsWith("sleep\u00001000")), "the end of its command");

  await t.view.frame.getByRole("region", { name: "You" }).hover();
  await t.view.button("Rewind to before this prompt…").click();
  await t.quickPick("greet.sh").waitFor();
  await t.shot("subagents-rewind");
  await t.quickPick("watched").getByText("remove").waitFor();
  await t.quickPick("Rewind 2 files").click();
  await until(() => folder.read("watched") === undefined, "what the other's command made is gone");
  await t.goTo("greet.sh");
  await t.line("Helo, $1, you are early.").waitFor();
  await t.save("greet.sh");
  await until(() => folder.read("greet.sh") === greet, "what the subagent did is taken back");

  await t.reload();
  await mending.getByRole("button", { name: "Show its conversation" }).click();
  await mending.getByText("I look at it first.").waitFor();
  await mending.getByText("Two of three were mended.").waitFor();
  assert.equal(await mending.getByRole("textbox").count(), 0);
  await t.shot("subagents-reloaded");
});

const hunks = ["Helo, $1, you", '"Helo, $1."', "Helo, $1, come"].map((oldText) => ({ oldText, newText: oldText.replace("Helo", "Hello") }));
const small = script(
  [`call c1 read ${JSON.stringify({ path: "greet.sh" })}`],
  ['want c1 "Helo"', `call c2 edit ${JSON.stringify({ path: "greet.sh", edits: hunks })}`],
  [`call c3 bash ${JSON.stringify({ command: "grep -c Hello greet.sh" })}`],
  ['want c3 "2"', say("Two of three were mended.")],
);

scene("Compact tools are chosen before the first word; their changes and commands are asked about like any others", {
  files: { "greet.sh": greet }, model: small,
}, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  await t.view.button("Default tools…").click();
  await t.quickPick("Compact tools").waitFor();
  await t.shot("subagents-tools");
  await t.quickPick("Compact tools").click();
  await t.view.frame.locator("header").getByText("Compact tools").waitFor();
  await t.view.button("Limits: Read-only").click();
  await t.view.frame.getByRole("option", { name: /^Workspace/ }).click();
  await t.view.button("Limits: Workspace").waitFor();
  await t.view.say("Mend the greeting");
  const question = t.view.question("Edit greet.sh");
  await t.view.hunk(question, 1).getByRole("button", { name: "Accept" }).click();
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject" }).click();
  await t.view.hunk(question, 3).getByRole("button", { name: "Accept" }).click();
  await t.view.answer("grep -c", "Allow");
  await t.view.text("Two of three were mended.").waitFor();
  assert.equal(folder.read("greet.sh"), firstAndThird);
  await t.view.card("grep -c").getByText("Exit code 0").waitFor();
  await t.shot("subagents-compact");
  assert.deepEqual(await t.view.barriers(), []);
});

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const looks = script([`call c1 read_image ${JSON.stringify({ source: "dot.png" })}`], ['want c1 "image/png"', say("It is a dot.")]);

scene("A picture that the model was given is shown, and opens in an editor", { model: looks }, async (t, folder) => {
  writeFileSync(join(folder.path, "dot.png"), Buffer.from(dot, "base64"));
  t.bench.configure(`models:\n  "${folder.modelName}": {vision: true}\n`);
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await t.palette("Drawbridge: Open Conversation");
    await t.view.say("Look at it");
    await t.view.text("It is a dot.").waitFor();
    const card = t.view.card("dot.png");
    await card.getByRole("img", { name: /image\/png/ }).waitFor({ state: "attached" });
    await t.shot("subagents-picture");
    await card.getByRole("button", { name: /^Open Picture/ }).click();
    await t.activeTab("dot.png").waitFor();
    await t.page.locator(".editor-container iframe, .webview").first().waitFor({ state: "attached" });
    await t.page.waitForTimeout(500);
    await t.shot("subagents-picture-open");
  } finally {
    t.bench.configure("");
  }
});

scene("A faulty settings file is shown where it is wrong and does not count; mended it does", { model: script([say("Here.")]) }, async (t, folder) => {
  const file = t.bench.configure("log:\n  level: info\n");
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await t.palette("Drawbridge: Open Conversation");
    await t.view.say("Are you there?");
    await t.view.text("Here.").waitFor();
    t.bench.configure("log:\n  levle: debug\n");
    await t.hears("Drawbridge's settings have a fault, and what was read last counts");
    await t.pressIn("Drawbridge's settings have a fault, and what was read last counts", "Open");
    await t.activeTab("config.yaml").waitFor();
    await t.page.locator(".squiggly-error").first().waitFor();
    await t.shot("subagents-settings-fault");
    writeFileSync(file, "log:\n  level: debug\n");
    await t.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    t.bench.configure("levle: 1\n");
    await t.page.locator(".squiggly-error").first().waitFor();
    await t.palette("Drawbridge: Restart the Bridge");
    await t.view.text(/The bridge cannot start/).waitFor();
    await t.view.button("Open the settings file").click();
    await t.typesInto("config.yaml");
    await t.press("ControlOrMeta+a", "Delete", "ControlOrMeta+s");
    await t.view.text(/The bridge cannot start/).waitFor({ state: "detached" });
    await until(() => t.bench.bridges().length === 1, "a bridge again");
    await t.palette("Drawbridge: Open Settings File…");
    await t.quickPick("Settings of").click();
    await until(() => folder.read(".drawbridge/config.yaml")?.startsWith("# Drawbridge's settings in this workspace") ?? false, "a settings file");
    await t.page.locator(".view-line", { hasText: "settings in this workspace" }).waitFor();
  } finally {
    t.bench.configure("");
  }
});
