/** What a person must not be led into: links in the words of others, a bridge that never answers, texts that go nowhere. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import { greet, mend, say, script, write } from "./texts.ts";
import type { User } from "./user.ts";

const scene = stage();

const evil = "[Review](command:drawbridge.review.acceptAll).txt";
const linking = "sleep 3s\n" + script([write("c1", evil, "evil\n")], [say("Over.")]);
scene("Words of the model are no links in a message", { model: linking }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Make a file");
  await t.palette("View: Show Explorer");
  const message = t.toasts.filter({ hasText: "Drawbridge asks" }).first().locator(".notification-list-item-message");
  await message.waitFor();
  assert.match((await message.innerText()).replaceAll("\u200b", ""), /\[Review\]\(command:/);
  assert.equal(await message.locator("a").count(), 0);
  await t.shot("hardened-message");
  await message.click();
  assert.equal(folder.read(evil), undefined);
});

scene("Settings of the bridge that it cannot read are named at once", { model: script([say("Hi.")]) }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  const settings = join(t.bench.folder, "home/.config/drawbridge");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "config.yaml"), "nonsense: 1\n");
  try {
    await t.palette("Drawbridge: Restart the Bridge");
    await t.view.text(/config\.yaml:1:1: unknown setting/).waitFor();
    await t.shot("hardened-settings");
  } finally {
    writeFileSync(join(settings, "config.yaml"), "");
  }
  await t.palette("Drawbridge: Restart the Bridge");
  await t.view.text(/unknown setting/).waitFor({ state: "detached" });
});

scene("A draft of an earlier window is closed, and its text offered", { files: { "greet.sh": greet }, model: script([mend("c1")], [say("Over.")]) }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Mend the greeting");
  await t.view.question("Edit greet.sh").getByRole("button", { name: "Edit…" }).click();
  await t.activeTab(/your edit of the proposal/).waitFor();
  await t.page.locator(".monaco-editor.focused").first().waitFor();
  await t.press("ControlOrMeta+Home");
  await t.type("MY TEXT ");
  await t.dirtyTabs.first().waitFor();
  await t.page.waitForTimeout(2_500); // the editor keeps unsaved text every second or two, and shows nothing of it
  folder.model(script([say("I go on.")]));
  await t.reload();
  await t.hears("the window was loaded anew, and your edit of the proposal for greet.sh was not used");
  await until(async () => (await t.tab(/your edit of the proposal/).count()) === 0, 10_000, "the end of the draft's tab");
  assert.equal(await t.dirtyTabs.count(), 0);
  await t.shot("hardened-draft");
  assert.equal(folder.read("greet.sh"), greet);
});

/** A program in the bridge's place that does what a file beside it says, and is the bridge otherwise. */
const actor = (real: string): string => `#!/bin/sh
here=$(dirname "$0")
[ "$1" = serve ] || exec ${real} "$@"
case $(cat "$here/role") in
silent) echo $$ >> "$here/silent"; exec sleep 600 ;;
chatty)
  echo $$ > "$here/chatty"
  exec 3<&0
  ${real} "$@" <&3 &
  until [ -e "$here/now" ]; do sleep 0.1; done
  echo "A word from the wrapper"
  wait ;;
*) exec ${real} "$@" ;;
esac
`;

async function withActor(t: User, play: (role: (name: string) => void, folder: string) => Promise<void>): Promise<void> {
  const folder = join(t.bench.folder, "actor");
  mkdirSync(folder, { recursive: true });
  const role = (name: string): void => writeFileSync(join(folder, "role"), name);
  writeFileSync(join(folder, "drawbridge"), actor(t.bench.program), { mode: 0o755 });
  role("bridge");
  t.bench.set({ "drawbridge.path": join(folder, "drawbridge") });
  try {
    await play(role, folder);
  } finally {
    t.bench.set({ "drawbridge.path": "" });
  }
}

scene("A bridge that never answers is given up; to restart does not wait for it", { model: script([say("There again.")]) }, async (t) => {
  await withActor(t, async (role, folder) => {
    await t.palette("Drawbridge: Open Conversation");
    await t.view.box.waitFor();
    role("silent");
    await t.palette("Drawbridge: Restart the Bridge");
    await until(() => existsSync(join(folder, "silent")), 20_000, "the silent program");
    const [pid] = readFileSync(join(folder, "silent"), "utf8").trim().split("\n");
    role("bridge");
    await t.palette("Drawbridge: Restart the Bridge");
    await until(() => !existsSync(`/proc/${pid}`), 10_000, "the end of the silent program");
    await t.view.say("Hello");
    await t.view.text("There again.").waitFor();
    role("silent");
    await t.palette("Drawbridge: Restart the Bridge");
    await t.view.text(/did not answer within 15 seconds/).waitFor();
    await t.shot("hardened-silent");
  });
});

scene("A word that is no message ends the bridge, and the next one goes on", { model: script([say("First.")], [say("Second.")]) }, async (t, folder) => {
  await withActor(t, async (role, actors) => {
    role("chatty");
    await t.palette("Drawbridge: Open Conversation");
    await t.palette("Drawbridge: Restart the Bridge");
    await t.view.say("One");
    await t.view.text("First.").waitFor();
    role("bridge");
    folder.model(script([say("Third.")]));
    const pid = readFileSync(join(actors, "chatty"), "utf8").trim();
    writeFileSync(join(actors, "now"), "");
    await until(() => !existsSync(`/proc/${pid}`), 10_000, "the end of the program that said something else");
    await t.view.say("Two");
    await t.view.text("Third.").waitFor();
    await t.shot("hardened-chatty");
  });
});
