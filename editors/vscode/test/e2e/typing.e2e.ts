/** The agent types into a command of its own: asked with each key of it, and with the command it goes to. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after } from "node:test";
import { stage } from "./scene.ts";

/** A model service that starts a command, types into it by the name it was told, and says how that went. */
const service = createServer((request, response) => void serve(request, response));
await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
after(() => service.close());
const { port } = service.address() as { port: number };
const scene = stage({ env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "sk-none" } });

const asks = "read -p 'Name? ' name; echo \"Hello, $name\"; read -p 'Bye? ' x";

scene("What the agent would type is asked about key by key, and into which command", {
  model: "", settings: { "drawbridge.model": "openai-chat:tiny" },
}, async (t) => {
  await t.palette("Drawbridge: Open Conversation");
  await t.view.say("Greet Ada");
  await t.view.answer(/^read -p/, "Allow");
  const question = t.view.question(/^Type/);
  await question.getByRole("heading", { name: "Type this into the running command?" }).waitFor();
  assert.equal(await question.locator(".command").textContent(), "Ada⟨Enter⟩");
  await question.getByText(/Typed into: read -p/).waitFor();
  await t.shot("typing-asked");
  assert.deepEqual(await t.view.barriers(), []);
  await t.view.answer(/^Type/, "Type");
  await t.view.text("It said: Hello, Ada").waitFor();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  if (request.url?.endsWith("/models")) {
    response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[{"id":"tiny","object":"model"}]}');
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const [delta, reason] = next(body);
  for (const [part, finish] of [[{ role: "assistant", ...delta }, null], [{}, reason]] as const) {
    response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: part, finish_reason: finish }] })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

/** What comes after this conversation: it is known by the results of calls in it. */
function next(conversation: string): readonly [object, string] {
  if (conversation.includes("Hello, Ada")) return [{ content: "It said: Hello, Ada" }, "stop"];
  const id = /process_id: (proc-[0-9a-f]+)/.exec(conversation)?.[1];
  if (id === undefined) return [call("1", "exec_command", { description: "Ask", cmd: asks, run_in_background: true }), "tool_calls"];
  return [call("2", "input_command", { description: "Answer", process_id: id, chars: "Ada\n", yield_time_ms: 5000 }), "tool_calls"];
}

function call(id: string, name: string, args: object): object {
  return { tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } }] };
}
