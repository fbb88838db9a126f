/** Commands that ask, that go on, and that want out of the sandbox. */
import assert from "node:assert/strict";
import { hasKeyboard, processesOf, until } from "./processes.ts";
import { stage } from "./scene.ts";
import { asks, run, runWith, say, script } from "./texts.ts";

const scene = stage();

const ask = "read -p 'Name? ' name; echo \"Hello, $name\"";
const asking = script([asks("c1", "Greet somebody", ask)], ['want c1 "Hello, Ada"', say("Ada was greeted.")]);

scene("A command that waits for typing comes to the front, and goes on with what is typed", {
  model: asking, settings: { "drawbridge.revealTerminal": "onInput" },
}, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Greet me");
  await t.view.answer("read -p", "Allow");
  await t.terminal.getByText("Name?").waitFor();
  const card = t.view.card("read -p");
  await card.locator(".call-standing", { hasText: "Waits for typing" }).waitFor();
  await t.status.getByText("Waits for typing").waitFor();
  await t.tabOfTerminal(/waits for typing/).waitFor();
  await t.shot("commands-waits");
  await t.view.box.click();
  await t.press("Enter", "Enter");
  await card.getByText("Waits for typing").first().waitFor(); // Enter in the prompt box types nothing
  await t.typeInTerminal("Ada");
  await t.press("Enter");
  await t.terminal.getByText("Hello, Ada").waitFor();
  await t.view.text("Ada was greeted.").waitFor();
  await card.getByText("Exit code 0").waitFor();
  assert.equal(await card.locator(".call-standing").textContent(), "");
});

scene("A command that waits is answered from its card, in a box that Escape closes", { model: asking }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Greet me");
  await t.view.answer("read -p", "Allow");
  const type = t.view.card("read -p").getByRole("button", { name: "Type…" });
  await type.click();
  await hasKeyboard(t.quickInput);
  await t.type("nobody");
  await t.press("Escape");
  await t.quickInput.waitFor({ state: "hidden" });
  await type.click();
  await hasKeyboard(t.quickInput);
  await t.shot("commands-type");
  await t.type("Ada");
  await t.press("Enter");
  await t.view.text("Ada was greeted.").waitFor();
});

scene("A hidden conversation is told that a command waits, and leads to its terminal", { model: script(
  [asks("c1", "Greet somebody", `until [ -e ask ]; do sleep 0.2; done; ${ask}`)], ['want c1 "Hello, Ada"', say("Ada was greeted.")],
) }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Greet me");
  await t.view.answer("until", "Allow");
  await t.palette("View: Show Explorer");
  await t.page.locator(".explorer-viewlet").waitFor();
  folder.write("ask", "");
  await t.pressIn("waits for typing: Name?", "Show terminal");
  await t.terminal.getByText("Name?").waitFor();
  await t.typeInTerminal("Ada");
  await t.press("Enter");
  await t.terminal.getByText("Hello, Ada").waitFor();
});

const server = "echo up; read -p 'Stop? ' x; echo \"said $x\"; exit 3";
const parent = "sleep 1000 & echo started";
const going = script(
  [runWith("c1", server, { run_in_background: true })],
  ['want c1 "running in the background"', run("c2", "Start a child", parent)],
  ['want c2 "sleep 1000"', say("Both run.")],
  ['want-user "exit code 3"', 'want-user "said yes"', say("The server has ended.")],
);

scene("Commands that go on are listed, typed into and stopped, and their end is told", { model: going }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Serve it");
  await t.view.question("echo up").getByText("In the background from the start").waitFor();
  await t.shot("commands-background-asked");
  await t.view.answer("echo up", "Allow");
  await t.view.answer("sleep 1000", "Allow");
  await t.view.text("Both run.").waitFor();
  const list = t.view.running;
  await list.getByRole("button", { name: "2 commands run · 1 waits for typing" }).click();
  const row = (text: string) => list.getByRole("listitem").filter({ hasText: text });
  await row("sleep 1000").getByText("Exit 0 · 1 process still runs: sleep 1000").waitFor();
  await t.view.card("sleep 1000").getByText("1 process still runs: sleep 1000").waitFor();
  await t.status.getByText("2").waitFor();
  await t.shot("commands-listed");
  assert.deepEqual(await t.view.barriers(), []);

  await t.palette("Drawbridge: Show Running Commands…");
  await t.quickPick("sleep 1000").waitFor();
  await t.shot("commands-picked");
  await t.quickPick("sleep 1000").click();
  await t.quickPick("Stop command").click();
  await row("sleep 1000").waitFor({ state: "detached" });
  await until(() => !processesOf(t.bench.folder).some((p) => p.command.startsWith("sleep\u00001000")), "the end of what was left");

  await row("echo up").getByRole("button", { name: "Show terminal" }).click();
  await t.terminal.getByText("Stop?").waitFor();
  await t.typeInTerminal("yes");
  await t.press("Enter");
  const told = t.view.frame.getByRole("region", { name: "Background commands that ended" });
  await told.getByText(/A background command ended: echo up.* · exit code 3/).waitFor();
  await t.view.text("The server has ended.").waitFor();
  await told.getByText("End of its output").click();
  await told.getByText("said yes").waitFor();
  await t.shot("commands-ended");
  await list.waitFor({ state: "hidden" });
  assert.equal(await t.view.frame.getByRole("region", { name: "You" }).count(), 1, "nobody prompted the second turn");
});

const tasks = "echo '{}' > .vscode/tasks.json && echo made";
const leaving = script(
  [run("c1", "Write what is protected", tasks)],
  ['wantnot c1 "made"', runWith("c2", tasks, { sandbox_permissions: "require_escalated", justification: "The task is [wanted](command:x)" })],
  ['want c2 "made"', say("It is there.")],
);

scene("A command leaves the sandbox only where a person lets it", { model: leaving }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Write it");
  const first = t.view.question("tasks.json");
  await first.getByText(/Runs in the sandbox \((bubblewrap|landlock)\): writes only to the workspace/).waitFor();
  await t.shot("commands-sandboxed");
  await first.getByRole("button", { name: "Allow", exact: true }).click();
  const second = t.view.frame.getByRole("heading", { name: "Run this command outside the sandbox?" });
  await second.waitFor();
  assert.equal(folder.read(".vscode/tasks.json"), undefined);
  await t.view.text("The task is [wanted](command:x)").waitFor();
  await t.shot("commands-escalation");
  assert.deepEqual(await t.view.barriers(), []);
  await t.view.answer("tasks.json", "Allow outside the sandbox");
  await t.view.text("It is there.").waitFor();
  assert.equal(folder.read(".vscode/tasks.json"), "{}\n");
});

const piped = "echo Who; read name; echo \"Hello, $name\"";

scene("A command without a terminal shows what is typed into it, and takes it by the line", {
  model: script([run("c1", "Greet somebody", piped)], ['want c1 "waits for typing"', say("It asks who.")]),
}, async (t) => {
  t.bench.configure("commands:\n  terminal: never\n");
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await t.palette("Drawbridge: Open Conversation");
    await t.view.say("Greet me");
    await t.view.answer("read name", "Allow");
    await t.view.text("It asks who.").waitFor();
    await t.view.card("read name").getByRole("button", { name: "Show terminal" }).click();
    await t.terminal.getByText("Who").waitFor();
    await t.typeInTerminal("Adda");
    await t.press("Backspace", "Backspace");
    await t.type("a");
    await t.terminal.getByText("Ada").waitFor();
    await t.press("Enter");
    await t.terminal.getByText("Hello, Ada").waitFor();
    await t.view.card("read name").getByText("Exit code 0").waitFor();
    await t.shot("commands-pipes");
  } finally {
    t.bench.configure("");
  }
});
