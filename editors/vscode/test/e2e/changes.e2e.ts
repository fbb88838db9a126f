/** What was applied unasked: kept and undone hunk by hunk, by turn, and where a command did it. */
import assert from "node:assert/strict";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import type { Folder } from "./scene.ts";
import { edit, greet, mend, read, run, say, script, write } from "./texts.ts";

const scene = stage({ settings: { "drawbridge.mode": "auto-edit" } });
const hello = greet.replaceAll("Helo", "Hello");

function becomes(folder: Folder, name: string, text: string | undefined): Promise<void> {
  return until(() => folder.read(name) === text, `${name} as it should be`);
}

const mended = script([mend("c1")], [say("Mended.")]);
scene("What is kept stays kept in the next window, and the model hears what was undone", { files: { "greet.sh": greet }, model: mended }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.text("Mended.").waitFor();
  await t.review.change("Mend the greeting").getByText("3 hunks to review").waitFor();
  await t.review.change("greet.sh").click();
  await t.review.pressAbove("you are early", "Keep");
  await t.review.change("greet.sh").getByText("2 of 3 hunks left").waitFor();
  await t.review.pressAbove("come in", "Undo");
  await t.review.change("greet.sh").getByText("1 of 2 hunks left").waitFor();
  await becomes(folder, "greet.sh", hello.replace("Hello, $1, come", "Helo, $1, come"));
  await t.shot("changes-one-left");

  folder.model(script([say("I go on.")]));
  await t.reload();
  await t.review.change("greet.sh").getByText("1 of 2 hunks left").waitFor();
  await t.review.words("Kept").waitFor(); // the diff was open, and is again
  await t.review.press("Keep rest");
  await t.review.tabs.first().waitFor({ state: "detached" });
  await t.review.change("Mend the greeting").getByText("settled").waitFor();
  await t.view.say("Go on");
  await t.view.text("I go on.").waitFor();
  await t.view.text(/The model was told: .*greet\.sh/).waitFor();
  await t.shot("changes-the-model-was-told");
});

const turns = script(
  [edit("c1", "list.txt", "two\n", "2\n"), write("c2", "new.md", "# New\n")], [say("That was the first.")],
  [edit("c3", "list.txt", "five\n", "5\n")], [say("That was the second.")],
);
const list = "one\ntwo\nthree\nfour\nfive\n";
scene("All changes of a turn are undone at once, those of another stay", { files: { "list.txt": list }, model: turns }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("First");
  await t.view.text("That was the first.").waitFor();
  await t.view.say("Second");
  await t.view.text("That was the second.").waitFor();
  await t.review.change("new.md").getByText("new file").waitFor();
  const turn = t.review.change(/^First/);
  await turn.hover();
  await turn.getByRole("button", { name: "Reject All Changes of the Turn" }).click();
  await t.dialog.getByText("Undo 2 applied changes?").waitFor();
  await t.shot("changes-undo-a-turn");
  await t.dialog.getByRole("button", { name: "Undo" }).click();
  await becomes(folder, "new.md", undefined);
  await becomes(folder, "list.txt", list.replace("five", "5"));
  await turn.getByText("settled").waitFor();
  assert.equal(await t.tab("new.md").count(), 0, "no tab of a file that is not there");
  await t.palette("Drawbridge: Accept All Changes");
  await t.review.change(/^Second/).getByText("settled").waitFor();
  assert.equal(folder.read("list.txt"), list.replace("five", "5"));
});

const byCommand = script(
  [read("c1", "greet.sh")], [run("c2", "Mend it", "sed -i s/Helo/Hello/ greet.sh; rm old.txt")], [say("Mended by a command.")],
);
scene("What a command changed is listed as its doing, and undone", { files: { "greet.sh": greet, "old.txt": "old\n" }, model: byCommand }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.answer("sed -i", "Allow");
  await t.view.text("Mended by a command.").waitFor();
  assert.equal(folder.read("greet.sh"), hello);
  await t.review.change("old.txt").getByText("by a command, +0 −1, deletes the file").waitFor();
  const change = t.review.change("greet.sh");
  await change.getByText("by a command, +3 −3, 3 hunks").waitFor();
  await t.shot("changes-by-a-command");
  await change.click();
  await t.review.press("Undo file");
  await becomes(folder, "greet.sh", greet);
  await t.review.tabs.first().waitFor({ state: "detached" });
});
