/** Reviewing changes: nothing is written but what was accepted, once, and where the person looks. */
import assert from "node:assert/strict";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import type { Folder } from "./scene.ts";
import { edit, greet, mend, run, say, script, write } from "./texts.ts";
import type { User } from "./user.ts";

const scene = stage();
const hello = greet.replaceAll("Helo", "Hello");
const mendOnce = script([mend("c1")], [say("Mended.")]);

/** Prompts with a file in sight and opens the diff of what is proposed. */
async function toDiff(t: User, title = "Edit greet.sh"): Promise<void> {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.question(title).getByRole("button", { name: "Open diff" }).click();
  await t.review.lens("Accept").first().waitFor();
}

function becomes(folder: Folder, name: string, text: string | undefined): Promise<void> {
  return until(() => folder.read(name) === text, `${name} as it should be`);
}

scene("After accepting, what is typed and saved reaches the file", { files: { "greet.sh": greet }, model: mendOnce }, async (t, folder) => {
  await t.openFile("greet.sh");
  await toDiff(t);
  await t.review.clickInto("new");
  await t.type("x");
  assert.equal(await t.dirtyTabs.count(), 0, "a review cannot be typed into");
  await t.press("ControlOrMeta+s");
  assert.equal(folder.read("greet.sh"), greet);

  await t.review.press("Accept file");
  await t.review.tabs.first().waitFor({ state: "detached" });
  await t.line("Hello, $1, come in.").waitFor();
  await t.typesInto("greet.sh");
  await t.press("ControlOrMeta+End");
  await t.type("# typed after it");
  await t.press("ControlOrMeta+s");
  await becomes(folder, "greet.sh", `${hello}# typed after it`);
  await t.dirtyTabs.first().waitFor({ state: "detached" });
});

scene("A diff that is closed has decided nothing", { files: { "greet.sh": greet }, model: mendOnce }, async (t, folder) => {
  await toDiff(t);
  await t.palette("View: Close Editor");
  await t.review.tabs.first().waitFor({ state: "detached" });
  const question = t.view.question("Edit greet.sh");
  assert.equal(await question.count(), 1);
  await t.review.change("greet.sh").waitFor();
  await question.getByRole("button", { name: "Open diff" }).click();
  await t.review.press("Reject file");
  await question.waitFor({ state: "detached" });
  await t.view.text("Mended.").waitFor();
  assert.equal(folder.read("greet.sh"), greet);
});

const newFile = script(
  [write("c1", "notes/new.md", "# New\n")], [say("Once more.\n"), write("c2", "notes/new.md", "# New\n")], [say("There it is.")],
);
scene("A new file that is rejected leaves nothing, and can be proposed again", { model: newFile }, async (t, folder) => {
  await toDiff(t, "Create notes/new.md");
  await t.review.press("Reject file");
  await t.view.text("Once more.").waitFor();
  await t.view.question("Create notes/new.md").waitFor();
  assert.equal(folder.read("notes/new.md"), undefined);
  await t.tab("new.md").waitFor({ state: "detached" }); // no tab of a file that does not exist
  await t.view.answer("Create notes/new.md", "Accept");
  await t.view.text("There it is.").waitFor();
  assert.equal(folder.read("notes/new.md"), "# New\n");
});

const twice = script(
  [edit("c1", "list.txt", "two\n", "two\nthree\n")],
  ['want c1 "+three"', edit("c2", "list.txt", "one\n", "zero\none\n")], ['want c2 "+zero"', say("Counted.")],
);
scene("Exactly one side writes a change", { files: { "list.txt": "one\ntwo\n" }, model: twice }, async (t, folder) => {
  await t.openFile("list.txt");
  await toDiff(t, "Edit list.txt");
  await t.review.press("Accept file");
  await t.view.question("Edit list.txt").getByText("zero").waitFor();
  await t.view.answer("Edit list.txt", "Accept");
  await t.view.text("Counted.").waitFor();
  await t.save("list.txt");
  await becomes(folder, "list.txt", "zero\none\ntwo\nthree\n");
  await t.undoAndSave("list.txt");
  await becomes(folder, "list.txt", "one\ntwo\nthree\n");
});

scene("A file that was never opened is reviewed too", { files: { "deep/in/greet.sh": greet }, model: mendOnce.replace('"greet.sh"', '"deep/in/greet.sh"') }, async (t, folder) => {
  await toDiff(t, "Edit deep/in/greet.sh");
  await t.review.pressAbove("you are early", "Accept");
  await t.review.pressAbove('$1."', "Accept");
  await t.review.pressAbove("come in", "Reject");
  await t.view.text("Mended.").waitFor();
  assert.equal(folder.read("deep/in/greet.sh"), hello.replace("Hello, $1, come", "Helo, $1, come"));
});

const seen = script([mend("c1")], [run("c2", "Look at it", "cat greet.sh")], ['want c2 "Hello, $1, come in."', say("The command saw it.")]);
scene("A command sees what was edited in an open document", { files: { "greet.sh": greet }, model: seen }, async (t) => {
  await t.openFile("greet.sh");
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.answer("Edit greet.sh", "Accept all");
  await t.view.answer("cat greet.sh", "Allow");
  await t.view.text("The command saw it.").waitFor();
});

scene("Card, diff and list show one and the same change", { files: { "greet.sh": greet }, model: mendOnce }, async (t) => {
  await toDiff(t);
  const question = t.view.question("Edit greet.sh");
  await t.review.change("greet.sh").getByText("3 hunks").waitFor();
  await t.review.pressAbove('$1."', "Reject");
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject", pressed: true }).waitFor();
  await t.review.change("greet.sh").getByText("2 of 3 hunks left").waitFor();
  await t.view.hunk(question, 3).getByRole("button", { name: "Accept" }).click();
  await t.review.lens("Accepted").waitFor();
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject" }).click();
  await t.review.lens("Rejected").waitFor({ state: "detached" });
  await t.review.change("greet.sh").getByText("2 of 3 hunks left").waitFor();
});

scene("A settled change can be shown again", { files: { "greet.sh": greet }, model: mendOnce }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.answer("Edit greet.sh", "Reject all");
  await t.view.text("Mended.").waitFor();
  await t.palette("Drawbridge: Show Settled Change…");
  await t.quickPick("greet.sh").click();
  await t.review.diff.getByText("Hello, $1, you are early.").waitFor();
  assert.equal(await t.review.lens("Accept").count(), 0, "there is nothing left to decide");
});

scene("Unsaved text is kept under a change", { files: { "greet.sh": greet }, model: mendOnce }, async (t, folder) => {
  await t.openFile("greet.sh");
  await t.press("ControlOrMeta+End");
  await t.type("# mine");
  await toDiff(t);
  await t.review.diff.getByText("# mine").first().waitFor();
  await t.review.press("Accept file");
  await t.view.text("Mended.").waitFor();
  assert.equal(folder.read("greet.sh"), greet, "saving is the person's");
  await t.save("greet.sh");
  await becomes(folder, "greet.sh", `${hello}# mine`);
  await t.undoAndSave("greet.sh");
  await becomes(folder, "greet.sh", `${greet}# mine`);
});

const edited = script([mend("c1")], ['want c1 "Good day"', say("As you like it.")]);
scene("A proposal is edited before it is accepted", { files: { "greet.sh": greet }, model: edited }, async (t, folder) => {
  await toDiff(t);
  await t.review.press("Edit…");
  await t.review.draftHasKeyboard();
  await t.press("ControlOrMeta+a");
  await t.type('echo "Good day, $1."');
  await t.press("ControlOrMeta+Alt+Enter");
  await t.view.text("As you like it.").waitFor();
  await becomes(folder, "greet.sh", 'echo "Good day, $1."');
  await t.dirtyTabs.first().waitFor({ state: "detached" });
});

scene("Of a change that was taken in part, and rewound, the list counts what had stood", { files: { "greet.sh": greet }, model: mendOnce }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  const question = t.view.question("Edit greet.sh");
  await t.review.change("greet.sh").waitFor(); // its turn is unfolded while it waits
  await t.view.hunk(question, 1).getByRole("button", { name: "Accept" }).click();
  await question.getByRole("button", { name: "Reject the rest" }).click();
  await t.view.text("Mended.").waitFor();
  await t.review.change("greet.sh").getByText("+1 −1").waitFor();
  await t.palette("Drawbridge: Rewind…");
  await t.quickPick("Before “Mend the greeting”").click();
  await t.quickPick("Rewind 1 file").click();
  await becomes(folder, "greet.sh", greet);
  await t.review.change("greet.sh").getByText("+1 −1 · reverted").waitFor();
  folder.model(script([say("Nothing.")]));
  await t.reload();
  await t.review.change("Mend the greeting").getByText("settled").click();
  await t.review.change("greet.sh").getByText("+1 −1 · reverted").waitFor();
});
