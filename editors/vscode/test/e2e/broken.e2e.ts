/** A program that was set as the bridge and does not behave like one. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { until } from "./processes.ts";
import { stage } from "./scene.ts";
import { say, script } from "./texts.ts";

const bridge = resolve(import.meta.dirname, "../../bin/drawbridge");
const actor = mkdtempSync(join(tmpdir(), "drawbridge-actor-"));
after(() => rmSync(actor, { recursive: true, force: true }));

/** It is the bridge, or plays what the file beside it says. */
writeFileSync(join(actor, "drawbridge"), `#!/bin/sh
here=$(dirname "$0")
[ "$1" = serve ] || exec ${bridge} "$@"
case $(cat "$here/role") in
silent)
  echo $$ > "$here/silent"
  exec sleep 600 ;;
chatty)
  echo $$ > "$here/chatty"
  exec 3<&0
  ${bridge} "$@" <&3 &
  until [ -e "$here/now" ]; do sleep 0.1; done
  echo "A word from the wrapper"
  wait ;;
*) exec ${bridge} "$@" ;;
esac
`, { mode: 0o755 });

type Role = "bridge" | "silent" | "chatty";

function play(role: Role): void {
  rmSync(join(actor, role), { force: true });
  writeFileSync(join(actor, "role"), role);
}

/** The program that plays, once it does. */
async function player(role: Role): Promise<string> {
  const file = join(actor, role);
  await until(() => existsSync(file) && readFileSync(file, "utf8") !== "", `the ${role} program`);
  return readFileSync(file, "utf8").trim();
}

function gone(pid: string, what: string): Promise<void> {
  return until(() => !existsSync(`/proc/${pid}`), `the end of ${what}`);
}

play("bridge");
const scene = stage({ settings: { "drawbridge.path": join(actor, "drawbridge") } });

scene("A bridge that never answers is given up; to restart does not wait for it", { model: script([say("There again.")]) }, async (t) => {
  play("bridge");
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  play("silent");
  await t.palette("Drawbridge: Restart the Bridge");
  const pid = await player("silent");
  play("bridge");
  await t.palette("Drawbridge: Restart the Bridge");
  await gone(pid, "the silent program");
  await t.view.say("Hello");
  await t.view.text("There again.").waitFor();
  play("silent");
  await t.palette("Drawbridge: Restart the Bridge");
  await t.view.text(/did not answer within 15 seconds/).waitFor();
  await t.shot("broken-silent");
  await gone(await player("silent"), "the silent program");
});

scene("A word that is no message ends the bridge, and the next one goes on", { model: script([say("First.")]) }, async (t, folder) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.box.waitFor();
  play("chatty");
  await t.palette("Drawbridge: Restart the Bridge");
  const pid = await player("chatty");
  await t.view.say("One");
  await t.view.text("First.").waitFor();
  play("bridge");
  folder.model(script([say("Second.")]));
  writeFileSync(join(actor, "now"), "");
  await gone(pid, "the program that said something else");
  await t.view.box.click();
  await t.type("Two");
  await t.view.button("Send").click(); // once there is a bridge again
  await t.view.text("Second.").waitFor();
  await t.shot("broken-chatty");
});

scene("A window that closes takes a silent program with it", { model: script([say("Hi.")]) }, async (t) => {
  play("silent");
  await t.palette("Drawbridge: Restart the Bridge");
  const pid = await player("silent");
  await t.close();
  await gone(pid, "the silent program");
});
