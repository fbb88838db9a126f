/**
 * Checks the conversation view alone in a browser, or says that there is none.
 * With CI=true that is a failure. Some of it: node --test-name-pattern=looks.
 */
import { after, before } from "node:test";
import { testDeeds } from "./deeds.ts";
import { testLooks } from "./looks.ts";
import { Theatre, browserPath } from "./stage.ts";

const path = browserPath();
if (path === undefined) {
  process.stderr.write("left out the checks of the conversation view: no Chromium on the PATH\n");
  process.exit(process.env["CI"] === "true" ? 1 : 0);
}

let theatre: Theatre | undefined;
before(async () => {
  theatre = await Theatre.open(path);
});
after(() => theatre?.close());

const opened = (): Theatre => {
  if (!theatre) throw new Error("the browser is not open");
  return theatre;
};
testLooks(opened);
testDeeds(opened);
