/** What is asked about is read as it is: nothing hides below, behind gaps or in what cannot be seen; and the keyboard after an answer. */
import assert from "node:assert/strict";
import { changeQuestion, commandQuestion, hunk, session, snapshot, tallCommand, threeHunks, threeHunksDiff, Told, twoQuestions, unseenCommand } from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./stage.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import { newConversation } from "../../src/model/reduce.ts";
import type { ApprovalRequestParams } from "../../src/protocol.gen.ts";

export function testVisible(deed: Deed): void {
  testUnseen(deed);
  testTall(deed);
  testAfterAnswer(deed);
}

function testUnseen(deed: Deed): void {
  deed("a command names what cannot be seen in it", asked(commandQuestion("1", unseenCommand)), async ({ page }) => {
    const marks = page.locator(".command .unseen");
    assert.deepEqual(await marks.allTextContents(), ["⟨U+202E⟩", "⟨U+202C⟩", "⟨U+001B⟩", "⟨U+00A0⟩", "⟨U+200B ×3⟩"]);
    assert.match((await marks.first().getAttribute("title")) ?? "", /^U\+202E, right-to-left override: changes the order/);
    await page.getByText("Named in ⟨…⟩: 7 characters that you would not see").waitFor();
    assert.deepEqual(await unnamed(page.locator("#app")), []);
  });

  deed("words from right to left do not turn the order of a command", asked(commandQuestion("1", "cp \u05d0\u05d1 \u05d2\u05d3")), async ({ page }) => {
    const [first, second] = [await page.locator(".command bdi").first().boundingBox(), await page.locator(".command bdi").last().boundingBox()];
    assert.ok(first && second && first.x < second.x, "the first word stands left of the second");
  });

  deed("gaps of a command are folded and can be unfolded", asked(commandQuestion("1", unseenCommand)), async ({ page }) => {
    const gap = page.getByRole("button", { name: "… 298 empty lines …" });
    const command = page.locator(".command");
    assert.deepEqual(await page.locator(".gap").allTextContents(), ["… 298 empty lines …", "… 3,000 blanks …"]);
    assert.match((await page.locator(".blanks").textContent()) ?? "", /^··$/);
    assert.ok(await command.getByText("; ls").isVisible());
    assert.equal(await page.getByText("scroll to see all").isVisible(), false, "all of it is in sight");
    await gap.click();
    assert.equal(await gap.count(), 0);
    assert.match((await command.textContent()) ?? "", /\n{299}/);
    await page.getByText("300 lines, scroll to see all").waitFor();
  });

  const odd = "a\u202eb\u200b.txt";
  deed(
    "titles, paths, lines of a change, input and chips name it, too",
    [
      snapshot({
        conversation: newConversation({ ...session, title: `See ${odd}`, cwd: `/home/${odd}` }),
        mentions: [{ kind: "file", uri: "file:///w/x", name: odd }],
      }),
      ...asked(changeQuestion("1", [hunk(1, 0, `old ${odd}\n`, `new ${odd}\n`)], "", encodeURIComponent(odd)), odd).slice(1),
      { kind: "sessions", sessions: [{ ...session, title: odd }], current: "s1" },
    ],
    async (stage) => {
      const { page } = stage;
      const named = "a⟨U+202E⟩b⟨U+200B⟩.txt";
      for (const place of [".title", ".path", ".diff-text", ".call-title", ".chip-name"]) {
        assert.ok((await page.locator(place).first().textContent())?.includes(named), place);
      }
      await page.locator(".call-toggle").click();
      await page.locator(".title-button").click();
      assert.ok((await page.locator(".session-title").textContent())?.includes(named));
      assert.deepEqual(await unnamed(page.locator("#app")), []);
    },
  );

  deed("one paragraph of an answer cannot turn another", [snapshot(), ...new Told().prompt("x"), new Told().say("a \u05d0\n\n\u05d1 b\n\n- c")], async ({ page }) => {
    for (const paragraph of await page.locator(".markdown :is(p, li)").all()) {
      assert.equal(await paragraph.evaluate((e) => getComputedStyle(e).unicodeBidi), "plaintext");
    }
  });
}

function testTall(deed: Deed): void {
  deed("a command that is longer than its box says so, and is shown whole on demand", asked(commandQuestion("1", tallCommand)), async (stage) => {
    const { page } = stage;
    const command = page.locator(".command");
    const frame = page.locator(".command-frame");
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await page.getByText("63 lines, scroll to see all").waitFor();
    assert.match((await frame.getAttribute("class")) ?? "", /\bcut\b/);
    assert.ok(await inSight(stage, ".option-allow"), "what answers is in sight without scrolling");
    assert.ok(await inSight(stage, ".command-more"), "and so is that there is more");
    assert.equal(await page.locator(".newest").isVisible(), false, "the end is still followed");
    await command.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await page.locator(".command-frame:not(.cut)").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    assert.ok(await command.evaluate((e) => e.scrollHeight <= e.clientHeight + 1), "nothing of it is cut");
    await page.locator(".log").evaluate((e) => e.scrollTo(0, 200));
    assert.ok(await inSight(stage, ".option-allow"), "what answers stays in sight");
    await page.getByRole("button", { name: "Show less" }).click();
    await page.getByText("63 lines, scroll to see all").waitFor();
    await allow.click();
    assert.equal((await stage.said("answer")).length, 1);
  });

  deed("a short command says nothing of the kind", asked(commandQuestion("1", "make test")), async (stage) => {
    await stage.settled();
    assert.equal(await stage.page.locator(".command-more").isVisible(), false);
    assert.equal(await stage.page.locator(".command-frame.cut").count(), 0);
  });
}

function testAfterAnswer(deed: Deed): void {
  const gone = (id: string): ToView => ({ kind: "withdrawn", sessionId: "s1", approvalId: id });

  deed("answered by keyboard, the next question has the keyboard, and in the end the conversation", [snapshot(), ...twoQuestions()], async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Accept all" }).focus();
    await page.keyboard.press("Enter");
    await stage.tell(gone("a1"));
    assert.equal(await stage.keyboard(), "npm test -- --watch=false");
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "SECTION", "the question, not its button");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    assert.deepEqual(await stage.said("answer"), []);
    await page.getByRole("button", { name: "Deny", exact: true }).focus();
    await page.keyboard.press("Enter");
    await stage.settled();
    assert.equal(await stage.keyboard(), "npm test -- --watch=false", "while the answer is on its way");
    await stage.tell(gone("a2"));
    assert.equal(await stage.keyboard(), "Conversation");
  });

  deed("after the last question the ones above it are next", [snapshot(), ...twoQuestions()], async (stage) => {
    await stage.page.getByRole("button", { name: "Allow", exact: true }).focus();
    await stage.page.keyboard.press("Enter");
    await stage.tell(gone("a2"));
    assert.equal(await stage.keyboard(), "Edit src/greet.go");
  });

  deed("a question that is asked anew keeps the keyboard", [snapshot(), ...twoQuestions()], async (stage) => {
    await stage.page.getByRole("button", { name: "Accept all" }).focus();
    await stage.tell(gone("a1"), { kind: "asked", approval: { ...changeQuestion("1", threeHunks, threeHunksDiff), digest: "other" } });
    assert.equal(await stage.keyboard(), "Edit src/greet.go");
  });

  deed("whoever was elsewhere stays there", [snapshot(), ...twoQuestions()], async (stage) => {
    const prompt = stage.page.getByRole("textbox", { name: "Prompt" });
    await prompt.focus();
    await stage.tell(gone("a1"));
    await stage.page.keyboard.type("on");
    await stage.tell(gone("a2"));
    assert.equal(await prompt.inputValue(), "on");
    assert.equal(await stage.keyboard(), "Prompt");
  });
}

/** Characters in texts, tooltips and labels that nobody would see. */
async function unnamed(root: ReturnType<Stage["page"]["locator"]>): Promise<string[]> {
  return root.evaluate((app) => {
    const odd = /[\u200b\u202e\u202c\u001b\u00a0]/u;
    const labels = [...app.querySelectorAll("*")].flatMap((e) => ["title", "aria-label"].map((name) => e.getAttribute(name) ?? ""));
    return [app.textContent ?? "", ...labels].filter((text) => odd.test(text));
  });
}

async function inSight(stage: Stage, selector: string): Promise<boolean> {
  await stage.settled();
  return stage.page.locator(selector).first().evaluate((e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    const at = document.elementFromPoint(x + width / 2, y + height / 2);
    return at !== null && e.contains(at);
  });
}

function asked(approval: ApprovalRequestParams, title = approval.title): ToView[] {
  const t = new Told();
  const args = approval.command ? { command: approval.command.text } : { file_path: title };
  return [snapshot(), ...t.prompt("Do it"), t.start(approval.callId, "x", title, approval.access, args), t.asks(), { kind: "asked", approval }];
}
