/** The whole story once more without a mouse. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { hasKeyboard, until } from "./processes.ts";
import { stage } from "./scene.ts";
import { afterKill, afterReload, firstAndThird, greet, opening } from "./texts.ts";
import { narrow, wide } from "./user.ts";
import type { User } from "./user.ts";

const scene = stage();
const sizes = [wide, narrow];

scene("By keyboard", { files: { "greet.sh": greet }, model: opening, theme: "light" }, async (t, folder) => {
  await t.press("ControlOrMeta+Alt+d");
  await hasKeyboard(t.view.box);
  await t.shot("keys-01-empty", sizes);
  await t.type("Mend the greeting");
  await t.press("Enter");

  const question = t.view.question("Edit greet.sh");
  await question.waitFor();
  await t.shot("keys-02-three-hunks", sizes);
  await t.palette("Drawbridge: Go to the Next Question");
  await hasKeyboard(question);
  await tabTo(t, t.view.hunk(question, 1).getByRole("button", { name: "Accept" }));
  await t.press("a");
  await t.view.hunk(question, 1).getByRole("button", { name: "Accept", pressed: true }).waitFor();
  await t.press("ArrowDown", "r");
  await t.view.hunk(question, 2).getByRole("button", { name: "Reject", pressed: true }).waitFor();
  await tabTo(t, question.getByRole("button", { name: "Open diff" }));
  await t.press("Enter");
  await t.review.lens("Accept").first().waitFor();
  await t.shot("keys-03-diff", sizes);
  await t.review.hasKeyboard();
  await t.press("Alt+F5");
  await t.review.cursorIn("come in");
  await t.press("ControlOrMeta+Enter");
  await question.waitFor({ state: "detached" });
  await until(() => folder.read("greet.sh") === firstAndThird, "two of three hunks in the file");

  const command = t.view.question("read -p 'Name? ' name");
  await command.waitFor();
  await t.palette("Drawbridge: Go to the Next Question");
  await hasKeyboard(command);
  await t.shot("keys-04-command-asked", sizes);
  await tabTo(t, command.getByRole("button", { name: "Allow", exact: true }));
  await t.press("Enter");
  await t.view.card("read -p").locator(".call-standing", { hasText: "Waits for typing" }).waitFor();
  await t.palette("Drawbridge: Show Terminal…");
  await t.quickPick("read -p").waitFor();
  await t.press("Enter");
  await t.terminal.getByText("Name?").waitFor();
  await t.typesIntoTerminal();
  await t.type("Ada");
  await t.press("Enter");
  await t.terminal.getByText("Hello, Ada").waitFor();
  await t.shot("keys-05-typed-in-the-terminal", sizes);

  const second = t.view.question("rm -r build");
  await second.waitFor();
  await t.palette("Drawbridge: Go to the Next Question");
  await hasKeyboard(second);
  await tabTo(t, second.getByRole("button", { name: "Deny with a reason…" }));
  await t.press("Enter");
  await t.type("the build is still needed");
  await t.shot("keys-06-reason", sizes);
  assert.equal(await t.view.scrolledAway(), 0, "the head of the view stays in sight");
  await t.press("Enter");
  await t.view.text("Then the build stays.").waitFor();

  folder.model(afterReload);
  await t.reload();
  await t.view.button("Continue").waitFor();
  await t.shot("keys-07-reloaded", sizes);
  await t.palette("Drawbridge: Continue the Last Turn");
  await t.view.text("I go on where I stopped.").waitFor();
  await t.view.question("Create NOTES.md").waitFor();
  await t.palette("Drawbridge: Go to the Next Question");
  await hasKeyboard(t.view.question("Create NOTES.md"));
  await tabTo(t, t.view.question("Create NOTES.md").getByRole("button", { name: "Accept" }));
  await t.press("Enter");
  await t.view.text("Next the tests.").waitFor();
  await t.bench.writesDown("Next the tests.");
  assert.ok(folder.read("NOTES.md")?.startsWith("# Notes"));

  folder.model(afterKill);
  await t.bench.killTheBridge();
  await t.view.text("the bridge ended while the turn ran").waitFor();
  await t.view.text("Next the tests.").waitFor(); // what had streamed is replayed
  await t.shot("keys-08-bridge-killed", sizes);
  await t.palette("Drawbridge: Continue the Last Turn");
  await t.view.text("That was all.").waitFor();

  await t.palette("Drawbridge: Show Settled Change…");
  await t.quickPick("greet.sh").waitFor();
  await hasKeyboard(t.quickInput);
  await t.type("greet");
  await t.press("Enter");
  await t.review.lens("Undo").first().waitFor();
  await t.shot("keys-09-applied-change", sizes);
  await t.review.hasKeyboard();
  await t.press("ControlOrMeta+Backspace");
  await t.tab("partly applied, 1 hunk").waitFor();
  await t.palette("View: Open Previous Editor");
  await t.typesInto("greet.sh");
  await t.press("ControlOrMeta+s");
  await until(() => folder.read("greet.sh") === greet.replace("Helo, $1, come", "Hello, $1, come"), "a hunk taken back");
});

/** Presses Tab until it is reached, as often as a person would put up with. */
async function tabTo(t: User, target: Locator): Promise<void> {
  for (let i = 0; i < 20; i++) {
    if (await target.evaluate((e) => e === e.ownerDocument.activeElement)) return;
    await t.press("Tab");
  }
  throw new Error("20 presses of Tab do not reach it");
}
