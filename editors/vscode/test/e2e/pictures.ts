/** Takes the pictures of docs/editors: what a person sees at the main turns of a conversation. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { themes } from "./scene.ts";
import { greet, mend, read, run, runWith, say, script, serve } from "./texts.ts";
import { User } from "./user.ts";
import { Workbench, missing } from "./workbench.ts";

const folder = resolve(import.meta.dirname, "../../../../docs/editors/img");
const largest = 150 * 1024;

const conversation = script(
  [say("I will look at the script first.\n"), read("c1", "greet.sh")],
  [say("`Helo` is misspelt in **three** places. I propose to mend them all.\n"), mend("c2")],
  [say("Now I try it out.\n"), run("c3", "Greet somebody", "read -p 'Name? ' name && sh greet.sh && echo \"Hello, $name\"")],
  [say("All three greetings are spelled right now. I serve them, and watch the files.\n"), runWith("c4", serve, { run_in_background: true })],
  [run("c5", "Watch the files", "sleep 1000 & echo watching")],
  [say("Both go on.\n")],
);

async function take(user: User): Promise<void> {
  await user.openFile("greet.sh");
  await user.palette("Drawbridge: Open Conversation");
  await user.view.say("Mend the greeting");
  const question = user.view.question("Edit greet.sh");
  await question.getByRole("button", { name: "Open diff" }).click();
  await user.review.pressAbove("you are early", "Accept");
  await user.review.lens("Accepted").waitFor();
  await picture(user, "vscode-review");
  await user.review.pressAbove('$1."', "Reject");
  await user.review.pressAbove("come in", "Accept");
  await user.view.question("read -p").waitFor();
  await picture(user, "vscode-question");
  await user.view.answer("read -p", "Allow");
  await user.view.card("read -p").getByRole("button", { name: "Show terminal" }).click();
  await user.terminal.getByText("Name?").waitFor();
  await user.typeInTerminal("Ada");
  await picture(user, "vscode-terminal");
  await user.press("Enter");
  await user.view.answer("Port?", "Allow");
  await user.view.answer("sleep 1000", "Allow");
  await user.view.text("Both go on.").waitFor();
  await user.view.running.getByRole("button", { name: /2 commands run/ }).click();
  await user.view.running.getByText("Waits for typing").first().waitFor();
  await user.palette("View: Toggle Panel Visibility"); // the terminal is in the picture before
  await picture(user, "vscode-commands");
}

async function picture(user: User, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await user.page.mouse.move(640, 790);
  await user.page.waitForTimeout(700); // what fades in has no end that could be seen
  await user.page.screenshot({ path });
  const { size } = statSync(path);
  if (size > largest) throw new Error(`${name}.png has ${size} bytes, at most ${largest} are allowed`);
  console.log(`pictures: docs/editors/img/${name}.png (${Math.round(size / 1024)} KiB)`);
}

const lacks = missing();
if (lacks) throw new Error(lacks);
mkdirSync(folder, { recursive: true });
const bench = await Workbench.start({
  settings: { "workbench.colorTheme": themes.dark, "breadcrumbs.enabled": false },
});
try {
  const words = join(bench.folder, "greeting.txt");
  writeFileSync(words, conversation);
  bench.set({ "drawbridge.model": `script:${words}` });
  const user = await User.open(bench, bench.workspace("greet", { "greet.sh": greet }));
  await take(user);
  await user.close();
} finally {
  await bench.stop();
}
