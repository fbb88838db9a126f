/** The prompt box: what Enter does and does not, mentions, drafts, pickers. */
import assert from "node:assert/strict";
import { answered, session, snapshot, Told, twoQuestions } from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./stage.ts";
import { newConversation as empty } from "../../src/model/reduce.ts";

export function testPrompt(deed: Deed): void {
  deed(
    "Enter in the prompt box sends, and never answers a question",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const { page } = stage;
      await box(stage).click();
      await page.keyboard.press("Enter");
      assert.deepEqual(await stage.said("send"), [], "an empty prompt is none");
      await page.keyboard.type("use tabs");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("please");
      await page.keyboard.press("Enter");
      assert.deepEqual(await stage.said("send"), [{ kind: "send", text: "use tabs\nplease", mentions: [] }]);
      assert.equal(await box(stage).inputValue(), "");
      assert.deepEqual(
        [...(await stage.said("answer")), ...(await stage.said("mark")), ...(await stage.said("markAll"))],
        [],
      );
    },
  );

  deed(
    "a question that comes up while one types takes neither the keyboard nor a key",
    [snapshot(), ...new Told().prompt("x")],
    async (stage) => {
      await box(stage).click();
      await stage.page.keyboard.type("half a sen");
      const [, , , , ...questions] = twoQuestions();
      await stage.tell(...questions);
      await stage.page.keyboard.type("tence");
      assert.equal(await box(stage).inputValue(), "half a sentence");
      assert.deepEqual(await stage.said("answer"), []);
    },
  );

  deed("the send button says what it does, and stop stops", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.page.getByRole("button", { name: "Send", exact: true }).waitFor();
    assert.equal(await stage.page.getByRole("button", { name: "Stop" }).isVisible(), false);
    await stage.tell(...t.prompt("x"));
    await stage.page.getByRole("button", { name: "Steer" }).waitFor();
    await stage.page.getByRole("button", { name: "Stop" }).click();
    assert.equal((await stage.said("stop")).length, 1);
    await stage.tell(...t.end("cancelled"));
    await stage.page.getByRole("button", { name: "Send", exact: true }).waitFor();
  });

  deed(
    "nothing is sent to a bridge that is away, and nothing is lost",
    [snapshot({ connection: { kind: "restarting", inMs: 1000, why: "killed" } })],
    async (stage) => {
      await box(stage).click();
      await stage.page.keyboard.type("later");
      await stage.page.keyboard.press("Enter");
      assert.deepEqual(await stage.said("send"), []);
      assert.equal(await box(stage).inputValue(), "later");
    },
  );

  deed(
    "a draft is handed over; another snapshot leaves what is typed alone",
    [snapshot({ draft: "from before" })],
    async (stage) => {
      assert.equal(await box(stage).inputValue(), "from before");
      await box(stage).click();
      await stage.page.keyboard.press("End");
      await stage.page.keyboard.type(" and now");
      await stage.page.waitForFunction(() =>
        (window as unknown as { said: { kind: string; text?: string }[] }).said.some(
          ({ kind, text }) => kind === "draft" && text === "from before and now",
        ),
      );
      await stage.tell(snapshot({ draft: "something older" }));
      assert.equal(await box(stage).inputValue(), "from before and now");
      await stage.tell({ kind: "draft", text: "came back" });
      assert.equal(await box(stage).inputValue(), "from before and now\n\ncame back");
    },
  );

  deed("an example fills the prompt box and sends nothing", [snapshot()], async (stage) => {
    await stage.page.getByRole("button", { name: "Find and fix a failing test" }).click();
    assert.equal(await box(stage).inputValue(), "Find and fix a failing test");
    assert.deepEqual(await stage.said("send"), []);
  });

  deed("before the first prompt a missing key is told, with a button", [snapshot()], async (stage) => {
    const key = stage.page.getByRole("button", { name: "Set a key…" });
    assert.equal((await stage.said("listModels")).length, 1);
    assert.equal(await key.isVisible(), false, "not known yet");
    await stage.tell({
      kind: "models",
      models: [],
      providers: [
        { name: "anthropic", ready: false },
        { name: "openai", ready: true },
      ],
    });
    await key.click();
    assert.equal((await stage.said("setKey")).length, 1);
    await stage.tell({ kind: "models", models: [], providers: [{ name: "anthropic", ready: true }] });
    assert.equal(await key.isVisible(), false);
  });

  testMentions(deed);
  testPickers(deed);
}

function testMentions(deed: Deed): void {
  const files = ["src/greet.go", "src/greet_test.go"].map((path) => ({
    uri: `file:///home/ada/greet/${path}`,
    name: path.slice(4),
    path,
  }));
  const answer = async (stage: Stage): Promise<void> => {
    const last = (await stage.said("findFiles")).at(-1);
    await stage.tell({ kind: "files", request: last?.request ?? 0, files });
  };

  deed("@ finds files by keyboard; chips come and go by keyboard", [snapshot()], async (stage) => {
    const { page } = stage;
    await box(stage).click();
    await page.keyboard.type("mend @gre");
    assert.equal((await stage.said("findFiles")).at(-1)?.query, "gre");
    await answer(stage);
    await page.keyboard.press("ArrowDown");
    assert.equal(
      await page
        .getByRole("option", { name: /greet_test/ })
        .evaluate((e, id) => e.id === id, await box(stage).getAttribute("aria-activedescendant")),
      true,
    );
    await page.keyboard.press("Tab");
    assert.equal(await box(stage).inputValue(), "mend @src/greet_test.go ");
    await page.keyboard.type("and @g");
    await answer(stage);
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.said("send"), [], "Enter chose");
    const chips = page.getByRole("list", { name: "Sent along" }).getByRole("listitem");
    assert.equal(await chips.count(), 2);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Backspace");
    assert.equal(await stage.keyboard(), "greet.go");
    await page.keyboard.press("Delete");
    assert.equal(await chips.count(), 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    assert.deepEqual((await stage.said("send"))[0]?.mentions, [
      { kind: "file", ...{ uri: files[1]?.uri, name: "greet_test.go" } },
    ]);
    assert.equal(await chips.count(), 0);
  });

  deed("Escape closes the list of files and leaves the text", [snapshot()], async (stage) => {
    await box(stage).click();
    await stage.page.keyboard.type("@gre");
    await answer(stage);
    await stage.page.getByRole("listbox", { name: "Files" }).waitFor();
    await stage.page.keyboard.press("Escape");
    assert.equal(await stage.page.getByRole("listbox", { name: "Files" }).isVisible(), false);
    await stage.page.keyboard.press("Enter");
    assert.equal((await stage.said("send"))[0]?.text, "@gre");
  });

  deed("an answer for an older search is not shown", [snapshot()], async (stage) => {
    await box(stage).click();
    await stage.page.keyboard.type("@g");
    const old = (await stage.said("findFiles")).at(-1)?.request ?? 0;
    await stage.page.keyboard.type("o");
    await stage.tell({ kind: "files", request: old, files });
    assert.equal(await stage.page.getByRole("listbox", { name: "Files" }).isVisible(), false);
  });

  deed("a selection that the editor adds goes along", [snapshot()], async (stage) => {
    const block = {
      type: "selection",
      uri: files[0]?.uri ?? "",
      range: { start: { line: 2, character: 0 }, end: { line: 4, character: 0 } },
    } as const;
    await stage.page.getByRole("button", { name: "Add the editor's selection" }).click();
    assert.equal((await stage.said("addSelection")).length, 1);
    const mention = { kind: "selection", uri: block.uri, name: "greet.go", startLine: 3, endLine: 4, block } as const;
    await stage.tell({ kind: "mention", mention }, { kind: "mention", mention });
    await stage.page.getByRole("button", { name: "greet.go:3–4", exact: true }).click();
    assert.deepEqual(await stage.said("open"), [{ kind: "open", uri: block.uri, line: 2 }]);
    await stage.page.getByRole("button", { name: "Remove greet.go:3–4" }).click();
    assert.equal(await stage.page.getByRole("list", { name: "Sent along" }).isVisible(), false);
  });
}

function testPickers(deed: Deed): void {
  deed("what a key makes ready is known everywhere at once", [
    snapshot({ conversation: empty({ ...session, model: "" }) }),
    { kind: "models", models: [], providers: [{ name: "openai", ready: false, hint: "set OPENAI_API_KEY" }] },
  ], async (stage) => {
    const { page } = stage;
    const missing = page.getByText("No model can be asked yet");
    await missing.waitFor();
    await page.getByRole("button", { name: "Model: No model" }).waitFor();
    await stage.tell({ kind: "models", models: [], providers: [{ name: "openai", ready: true }] });
    assert.equal(await missing.isVisible(), false);
    await page.getByRole("button", { name: "Model: Default model" }).waitFor();
    await stage.tell(snapshot({ conversation: empty({ ...session, sessionId: "s2", model: "openai:gpt" }) }));
    assert.equal(await missing.isVisible(), false);
    await page.getByRole("button", { name: "Model: gpt" }).waitFor();
    await stage.tell({ kind: "models", models: [], providers: [{ name: "openai", ready: false, hint: "no network" }] });
    await page.getByText("openai cannot be asked yet: no network.").waitFor();
  });

  deed("the model that answers is named, also where the session names none", [
    snapshot({ conversation: empty({ ...session, model: "" }) }),
  ], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), t.event("state/changed", { state: "model", since: 1, detail: "waiting for openai:gpt" }));
    await stage.page.getByRole("button", { name: "Model: gpt" }).waitFor();
  });

  deed("the menu of models has the current one first, any other by its name, and last what lacks a key", [
    snapshot({ conversation: empty({ ...session, model: "script:/tmp/a.txt" }) }),
    {
      kind: "models",
      models: [{ id: "x:small", provider: "x", name: "small" }],
      providers: [{ name: "x", ready: true }, { name: "y", ready: false, hint: "set Y_KEY" }],
    },
  ], async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: /^Model:/ }).click();
    const labels = await page.locator(".option-label:visible").allTextContents();
    assert.deepEqual(labels.slice(0, 3), ["script:/tmp/a.txt", "small", "Other model…"]);
    assert.equal(labels.at(-1), "y: set a key…");
    await page.getByRole("option", { name: /^Other model/ }).click();
    assert.equal((await stage.said("otherModel")).length, 1);
  });

  deed("every mode of the menu is in sight, by both its names", [snapshot()], async (stage) => {
    const { page } = stage;
    await page.setViewportSize({ width: 320, height: 480 });
    await page.getByRole("button", { name: /^Mode:/ }).click();
    await page.getByRole("option", { name: "Edit freely (auto-edit)" }).waitFor();
    const [list, last] = [await page.locator(".listbox:visible").boundingBox(), await page.getByRole("option").last().boundingBox()];
    assert.ok(list && last && list.y >= 0 && last.y + last.height <= list.y + list.height + 1);
  });

  deed("mode, limits, model and reasoning are picked", [snapshot()], async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Mode: Ask always" }).click();
    await page.getByRole("option", { name: /^Plan/ }).click();
    await page.getByRole("button", { name: "Limits: Workspace" }).click();
    await page.getByRole("option", { name: /^Read-only/ }).click();
    await page.getByRole("button", { name: "Model: claude-opus" }).click();
    assert.equal((await stage.said("listModels")).length, 2, "once for the welcome, once for the picker");
    await stage.tell({
      kind: "models",
      models: [{ id: "x:small", provider: "x", name: "small" }],
      providers: [
        { name: "x", ready: true },
        { name: "y", ready: false, hint: "set Y_KEY" },
      ],
    });
    await page.getByRole("option", { name: "small" }).click();
    await page.getByRole("button", { name: "Model: claude-opus" }).click();
    await page.getByRole("option", { name: "Most reasoning" }).click();
    await page.getByRole("button", { name: "Model: claude-opus" }).click();
    await page.getByRole("option", { name: /^y: set a key/ }).click();
    assert.deepEqual(await stage.said("configure"), [
      { kind: "configure", mode: "plan" },
      { kind: "configure", preset: "read-only" },
      { kind: "configure", model: "x:small" },
      { kind: "configure", thinking: "high" },
    ]);
    assert.deepEqual(await stage.said("setKey"), [{ kind: "setKey", provider: "y" }]);
  });

  deed("sessions are listed and one is taken up", [snapshot(), ...answered()], async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: /^Sessions:/ }).click();
    await stage.tell({
      kind: "sessions",
      sessions: [session, { ...session, sessionId: "s2", title: "The other one" }],
      current: "s1",
    });
    assert.equal(await page.getByRole("log").isVisible(), false);
    await page.keyboard.type("other");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.said("loadSession"), [{ kind: "loadSession", sessionId: "s2" }]);
    assert.equal(await page.getByRole("log").isVisible(), true);
  });
}

function box(stage: Stage) {
  return stage.page.getByRole("textbox", { name: "Prompt", exact: true });
}
