/** The whole story by mouse: from the first prompt to a bridge that was killed in mid-turn. */
import assert from "node:assert/strict";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import { afterKill, afterReload, firstAndThird, greet, opening } from "./texts.ts";
import { narrow, wide } from "./user.ts";
import type { User } from "./user.ts";

const scene = stage();
const sizes = [wide, narrow];

scene("By mouse", { files: { "greet.sh": greet }, model: opening, theme: "dark" }, async (t, folder) => {
  await t.openFile("greet.sh");
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  await t.shot("mouse-01-empty", sizes);
  await nothingInTheWay(t);
  await t.view.say("Mend the greeting");

  await t.view.card("Read greet.sh").getByText("Done").waitFor();
  const question = t.view.question("Edit greet.sh");
  await question.waitFor();
  await t.shot("mouse-02-three-hunks", sizes);
  await nothingInTheWay(t);
  await question.getByRole("button", { name: "Open diff" }).click();
  await t.review.diff.waitFor();
  await t.review.lens("Accept").first().waitFor();
  await t.shot("mouse-03-diff", sizes);
  assert.equal(await t.view.hunk(question, 3).count(), 1);
  await t.review.pressAbove("you are early", "Accept");
  await t.view.hunk(question, 1).getByRole("button", { name: "Accept", pressed: true }).waitFor();
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject" }).click();
  await t.shot("mouse-04-two-decided", sizes);
  assert.equal(folder.read("greet.sh"), greet);
  await t.view.hunk(question, 3).getByRole("button", { name: "Accept" }).click();
  await question.waitFor({ state: "detached" });

  const command = t.view.question("read -p 'Name? ' name");
  await command.waitFor();
  await t.shot("mouse-05-command-asked", sizes);
  await t.view.answer("read -p 'Name? ' name", "Allow");
  await until(() => folder.read("greet.sh") === firstAndThird, "two of three hunks in the file");
  await t.view.card("read -p").getByRole("button", { name: "Show terminal" }).click();
  await t.terminal.getByText("Name?").waitFor();
  await t.typeInTerminal("Ada");
  await t.press("Enter");
  await t.terminal.getByText("Hello, Ada").waitFor();
  await t.shot("mouse-06-typed-in-the-terminal", sizes);

  await t.view.question("rm -r build").waitFor();
  await t.view.deny("rm -r build", "the build is still needed");
  await t.view.text("Then the build stays.").waitFor();
  await t.shot("mouse-07-denied", sizes);
  await nothingInTheWay(t);
  await inTheBackground(t);

  folder.model(afterReload);
  await t.reload();
  await t.view.text("Then the build stays.").waitFor();
  await t.view.button("Continue").waitFor();
  await t.shot("mouse-08-reloaded", sizes);
  await t.view.button("Continue").click();
  await t.view.text("I go on where I stopped.").waitFor();
  await t.view.answer("Create NOTES.md", "Accept");
  await until(() => folder.read("NOTES.md")?.startsWith("# Notes") ?? false, "the new file");
  await t.view.text("Next the tests.").waitFor();
  await t.bench.writesDown("Next the tests.");

  folder.model(afterKill);
  const killed = await t.bench.killTheBridge();
  await t.view.text("the bridge ended while the turn ran").waitFor();
  await t.view.text("Next the tests.").waitFor(); // what had streamed is replayed
  await t.shot("mouse-09-bridge-killed", sizes);
  assert.notEqual(await t.bench.theBridge(), killed);
  await t.view.button("Continue").click();
  await t.view.text("That was all.").waitFor();

  await t.view.card("Edit greet.sh").getByRole("button", { name: "Open diff" }).click();
  await t.review.pressAbove("come in", "Undo");
  await t.tab("partly applied, 1 hunk").waitFor();
  await t.save("greet.sh");
  await until(() => folder.read("greet.sh") === greet.replace("Helo, $1, you", "Hello, $1, you"), "a hunk taken back");
  await t.shot("mouse-10-taken-back", sizes);
  await nothingInTheWay(t);
});

/** A server that asks first: typed into in its terminal, and stopped from the list of what runs. */
async function inTheBackground(t: User): Promise<void> {
  await t.view.answer("read -p 'Port? ' port", "Allow");
  await t.view.text("I write down what was done.").waitFor();
  const list = t.view.running;
  await list.getByRole("button", { name: "waits for typing" }).click();
  await t.shot("mouse-07a-in-the-background", sizes);
  await nothingInTheWay(t);
  await list.getByRole("button", { name: "Show terminal" }).click();
  await t.terminal.getByText("Port?").waitFor();
  await t.typeInTerminal("8080");
  await t.press("Enter");
  await t.terminal.getByText("listening on 8080").waitFor();
  await list.getByText("Waits for typing").waitFor({ state: "detached" });
  await list.getByRole("button", { name: "Stop command" }).click();
  await list.waitFor({ state: "hidden" });
  await t.view.card("read -p 'Port?").getByText("Ended by SIGTERM").waitFor();
  await t.shot("mouse-07b-stopped", sizes);
}

async function nothingInTheWay(t: User): Promise<void> {
  assert.deepEqual(await t.view.barriers(), []);
}
