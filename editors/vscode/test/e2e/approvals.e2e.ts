/** What a person says beforehand: rules that are remembered, rewritten and forgotten, reminders, and trust. */
import assert from "node:assert/strict";
import { hasKeyboard, until } from "./processes.ts";
import { stage } from "./scene.ts";
import { run, say, script } from "./texts.ts";

const scene = stage();

const files = { "words.txt": "b\na\n" };
const remembers = script(
  [run("c1", "Sort", "sort words.txt")], [run("c2", "Sort again", "sort words.txt | head -n 1")], [say("Sorted twice.")],
  [run("c3", "Sort", "sort words.txt")], [run("c4", "Remove", "rm -rf words.txt")], [say("Sorted no more.")],
);
scene("A yes for the workspace is kept as a rule, asks no more, and is forgotten", { files, model: remembers }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Sort the words");
  const question = t.view.question("sort words.txt");
  await question.getByText("Asks").first().waitFor();
  await t.view.text("Why am I asked?").click();
  assert.ok((await question.locator(".derivation li").count()) > 0);
  await t.shot("approvals-question");
  assert.deepEqual(await t.view.barriers(), []);
  const rule = (await question.locator(".rule-text").first().textContent()) ?? "";
  assert.match(rule, /sort/);
  await t.view.answer("sort words.txt", "Allow in this workspace");
  await t.view.text(`Remembered in this workspace: ${rule}`).waitFor();
  await t.view.text("Sorted twice.").waitFor();
  await t.view.card("sort words.txt | head").getByText(/^Allowed by /).waitFor();
  await t.palette("Drawbridge: Approval Rules…");
  await t.quickPick(rule).waitFor();
  await t.shot("approvals-rules");
  await t.quickInput.fill(rule);
  await t.quickPick(rule).waitFor();
  await t.press("Enter");
  await t.dialog.getByRole("button", { name: "Forget" }).click();
  await t.view.say("And once more");
  await t.view.answer("sort words.txt", "Deny");
  await t.view.text("Sorted no more.").waitFor();
  await t.view.card("rm -rf words.txt").getByText(/^Denied .*rm -rf/).waitFor();
  assert.equal(folder.read("words.txt"), files["words.txt"]);
});

const edits = script([run("c1", "Count", "seq 1 3")], [run("c2", "Count on", "seq 4 6")], [say("Counted.")]);
scene("A rule is rewritten before it is kept; one that does not cover what was asked comes back", { model: edits }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Count");
  const question = t.view.question("seq 1 3");
  const field = question.getByRole("textbox", { name: "Rule" });
  await question.getByRole("button", { name: "Edit rule…" }).first().click();
  await field.fill("git diff");
  await question.getByRole("button", { name: "Allow for session" }).first().click();
  await question.getByText(/^That was no answer/).waitFor();
  assert.equal(await field.inputValue(), "git diff");
  await field.fill("seq");
  await t.view.answer("seq 1 3", "Allow for session");
  await t.view.text("Counted.").waitFor();
  await t.view.text("Remembered for this session: seq").waitFor();
  assert.equal(await t.view.questions.count(), 0);
});

const late = script([run("c1", "One", "touch one")], [say("Read.")]);
scene("A question that nobody answers is said again, and Show leads to it", { model: late }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.button(/^Mode:/).waitFor();
  const first = await t.bench.theBridge();
  t.bench.configure("approval:\n  remind: 2s\n");
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await until(() => t.bench.bridges().some((pid) => pid !== first), "a bridge with the new settings");
    await t.view.say("Make a file");
    await t.view.question("touch one").waitFor();
    await t.status.getByText("Waiting for you: 1 question").waitFor();
    const reminder = "Drawbridge still waits for an answer: touch one";
    await t.hears(reminder);
    await t.shot("approvals-reminder");
    await t.view.box.click();
    await t.press("Enter");
    assert.equal(await t.view.questions.count(), 1);
    await t.pressIn(reminder, "Show");
    await hasKeyboard(t.view.question("touch one"));
    await t.press("Enter");
    assert.equal(folder.read("one"), undefined);
    await t.view.answer("touch one", "Deny");
    await t.view.text("Read.").waitFor();
  } finally {
    t.bench.configure("");
  }
});

const settings = "hooks:\n  beforeCommand: ./hook.sh --all\napproval:\n  rules:\n    - allow: touch one\n";
const trusted = script([run("c1", "One", "touch one")], [say("It was made.")], [run("c2", "One", "touch one")], [say("It was asked about.")]);
scene("Settings that a workspace brings count when exactly they are trusted; one changed byte asks again", {
  files: { ".drawbridge/config.yaml": settings }, model: trusted,
}, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  const card = t.view.frame.getByRole("region", { name: "This workspace brings settings of its own" });
  await card.waitFor();
  assert.equal(await card.getByRole("button", { name: "Trust", exact: true }).count(), 0);
  await t.hears("They would run: ./hook.sh --all");
  await card.getByRole("button", { name: "Review…" }).click();
  assert.equal(await card.locator(".command").first().textContent(), "./hook.sh --all");
  await t.shot("approvals-trust");
  assert.deepEqual(await t.view.barriers(), []);
  await card.getByRole("button", { name: "Trust", exact: true }).click();
  await card.waitFor({ state: "detached" });
  await t.view.say("Make a file");
  await t.view.text("It was made.").waitFor();
  assert.equal(folder.read("one"), "");
  folder.write(".drawbridge/config.yaml", settings.replace("--all", "--any"));
  await t.view.say("Make it again");
  await t.view.frame.getByRole("region", { name: "The workspace's own settings have changed" }).waitFor();
  await t.view.answer("touch one", "Deny");
  await t.view.text("It was asked about.").waitFor();
});
