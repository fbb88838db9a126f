/** Rewinding: nothing is done that was not shown, the person's own work stays, and the way back is open. */
import assert from "node:assert/strict";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import type { Folder } from "./scene.ts";
import { edit, run, say, script, write } from "./texts.ts";
import type { User } from "./user.ts";

const scene = stage({ settings: { "drawbridge.mode": "auto-edit" } });
const notes = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

function becomes(folder: Folder, name: string, text: string | undefined): Promise<void> {
  return until(() => folder.read(name) === text, `${name} as it should be`);
}

const model = script(
  [edit("c1", "notes.txt", "two\n", "2\n"), edit("c2", "plan.txt", "first\n", "second\n")], [say("That was the first.")],
  [write("c3", "extra.md", "# Extra\n")], [say("That was the second.")],
);

async function twoTurns(t: User): Promise<void> {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Turn one");
  await t.view.text("That was the first.").waitFor();
  await t.view.say("Turn two");
  await t.view.text("That was the second.").waitFor();
}

scene("A turn is rewound: first shown, own work kept, a conflict left alone, and undone", { files: { "notes.txt": notes, "plan.txt": "first\n" }, model }, async (t, folder) => {
  await twoTurns(t);
  folder.write("notes.txt", folder.read("notes.txt") + "mine\n");
  folder.write("plan.txt", "my own plan\n");

  const prompt = t.view.frame.getByRole("region", { name: "You" }).first();
  await prompt.hover();
  await prompt.getByRole("button", { name: "Rewind to before this prompt…" }).click();
  await t.quickPick("Rewind 2 files").getByText("1 file is left alone").waitFor();
  await t.quickPick("extra.md").getByText("remove · +0 −1").waitFor();
  await t.quickPick("plan.txt").getByText("leave").waitFor();
  await t.quickPick("notes.txt").getByText("merge · +1 −1 · what was changed since stays").waitFor();
  await t.shot("rewind-preview");
  assert.equal(folder.read("notes.txt"), notes.replace("two", "2") + "mine\n", "nothing is done yet");
  await t.quickPick("notes.txt").click();
  await t.activeTab("notes.txt.diff").waitFor();
  await t.line("+two").waitFor();
  await t.quickPick("Rewind 2 files").click();

  await becomes(folder, "notes.txt", `${notes}mine\n`);
  await becomes(folder, "extra.md", undefined);
  assert.equal(folder.read("plan.txt"), "my own plan\n");
  await t.hears("Rewound 2 files. Left alone: plan.txt");
  await t.tab("notes.txt.diff").waitFor({ state: "detached" });
  await t.shot("rewind-done");
  await t.pressIn("Rewound 2 files", "Undo Rewind");
  await becomes(folder, "notes.txt", notes.replace("two", "2") + "mine\n");
  await becomes(folder, "extra.md", "# Extra\n");
  assert.equal(folder.read("plan.txt"), "my own plan\n");
});

scene("What changed while the list was looked at is shown anew, and one turn alone is taken back", { files: { "notes.txt": notes, "plan.txt": "first\n" }, model }, async (t, folder) => {
  await twoTurns(t);
  await t.palette("Drawbridge: Rewind…");
  await t.quickPick("Before “Turn one”").click();
  await t.quickPick("Rewind 3 files").waitFor();
  await t.quickPick("Take back only this turn…").click();
  await t.quickPick("Rewind 2 files").waitFor();
  assert.equal(await t.quickPick("extra.md").count(), 0, "it is of another turn");
  folder.write("plan.txt", "my own plan\n");
  await t.quickPick("Rewind 2 files").click();
  await t.quickPick("Rewind 1 file").waitFor();
  assert.equal(folder.read("notes.txt"), notes.replace("two", "2"), "nothing was done");
  await t.quickPick("Rewind 1 file").click();
  await becomes(folder, "notes.txt", notes);
  assert.equal(folder.read("plan.txt"), "my own plan\n");
  assert.equal(folder.read("extra.md"), "# Extra\n");
});

const byCommand = script([edit("c1", "notes.txt", "two\n", "2\n")], [run("c2", "Make it", "sleep 1; make")], [say("It is made.")]);
const files = { "notes.txt": notes, Makefile: "all:\n\t@echo made > made.txt\n" };

scene("What may be somebody else's is left alone until it is asked for, and comes back with the undo", { files, model: byCommand }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make it");
  await t.view.answer("make", "Allow");
  await t.view.text("It is made.").waitFor();
  await t.palette("Drawbridge: Rewind…");
  await t.quickPick("Before “Make it”").click();
  await t.quickPick("Rewind 1 file").getByText("1 file is left alone").waitFor();
  const made = t.quickPick("made.txt");
  await made.getByText("leave").waitFor();
  await made.getByText("ran, maybe by somebody else").waitFor();
  await t.shot("rewind-doubtful");
  await t.quickPick("Take back what may be somebody else's, too…").click();
  await t.quickPick("Rewind 2 files").waitFor();
  await made.getByText("remove · +0 −1").waitFor();
  assert.equal(await t.quickPick("Take back what may be").count(), 0, "it is asked for once");
  assert.equal(folder.read("made.txt"), "made\n", "nothing is done yet");
  await t.quickPick("Rewind 2 files").click();
  await becomes(folder, "made.txt", undefined);
  await becomes(folder, "notes.txt", notes);
  await t.hears("Rewound 2 files.");
  await t.pressIn("Rewound 2 files", "Undo Rewind");
  await becomes(folder, "made.txt", "made\n");
  await becomes(folder, "notes.txt", notes.replace("two", "2"));
});
