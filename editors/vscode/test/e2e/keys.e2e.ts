/** Keys: checked, kept in the editor's secret storage, handed to each bridge, written nowhere. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hasKeyboard, read } from "./processes.ts";
import { stage } from "./scene.ts";
import { filesIn } from "./workbench.ts";

const rightKey = "sk-the-right-one-4711";

/** A model service that knows one key and says one thing. */
const service = createServer(serve);
await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
after(() => service.close());
const { port } = service.address() as { port: number };
const scene = stage({ env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` } });

scene("A key is refused when it does not work, kept when it does, and there again after a reload", { model: "", settings: { "drawbridge.model": "openai-chat:tiny" } }, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Hello");
  await t.view.end.getByRole("button", { name: "Set a key…" }).waitFor();
  await t.shot("keys-none");
  await t.view.end.getByRole("button", { name: "Set a key…" }).click();
  await t.quickPick("openai-chat").waitFor();
  await t.shot("keys-whose");
  await t.quickPick("openai-chat").click();
  const field = t.page.locator('.quick-input-widget input[type="password"]');
  await hasKeyboard(field);
  await t.type("sk-a-wrong-one");
  await t.press("Enter");
  await t.hears("was not accepted");
  await t.shot("keys-refused");
  await t.pressIn("was not accepted", "Try Another");
  await hasKeyboard(field);
  await t.type(rightKey);
  await t.press("Enter");
  await t.hears("works and is stored");
  await t.view.end.getByRole("button", { name: "Try again" }).click();
  await t.view.text("The service greets you.").waitFor();

  await t.reload();
  await t.view.text("The service greets you.").waitFor();
  await t.view.say("And again");
  await t.view.frame.getByText("The service greets you.").nth(1).waitFor();
  assert.deepEqual(filesWith(t.bench.folder, rightKey), []);
});

function serve(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.headers.authorization !== `Bearer ${rightKey}`) {
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"this key is not known","type":"invalid_request_error"}}');
  } else if (request.url?.endsWith("/models")) {
    response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[{"id":"tiny","object":"model"}]}');
  } else {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [delta, reason] of [[{ role: "assistant", content: "The service greets you." }, null], [{}, "stop"]] as const) {
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  }
}

/** What of the editor's and the bridge's files holds the text. The browser's own storage is not among them. */
function filesWith(folder: string, text: string): string[] {
  return ["home", "data", "ws"].flatMap((part) => filesIn(join(folder, part))).filter((path) => read(path).includes(text));
}
