/** What people said beforehand, in a question and after it; and what asks for trust. */
import assert from "node:assert/strict";
import { brought, commandQuestion, snapshot, takenApart, Told, twoQuestions } from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import type { ApprovalRequestParams } from "../../src/protocol.gen.ts";

export function testApprovals(deed: Deed): void {
  testParts(deed);
  testRemember(deed);
  testTrust(deed);
}

function asks(approval: ApprovalRequestParams): ToView[] {
  const t = new Told();
  return [snapshot(), ...t.prompt("Do it"), t.start(approval.callId, "exec_command", approval.title, "execute", {}), t.asks(), { kind: "asked", approval }];
}

function testParts(deed: Deed): void {
  deed("a command is taken apart word by word, with what is said of each part in words", asks(takenApart()), async ({ page }) => {
    const parts = page.getByRole("list", { name: "What would run" }).getByRole("listitem");
    assert.deepEqual(await parts.locator(".verdict").allInnerTexts(), ["Allowed", "Allowed", "Asks", "Asks", "Forbidden"]);
    assert.deepEqual(await parts.nth(2).locator(".word").allTextContents(), ["npm", "publish", "./my pkg"]);
    await parts.nth(0).getByText("rule git diff (config.yaml:12)").waitFor();
    assert.equal(await parts.nth(1).locator(".part-why").count(), 0);
    const text = page.locator(".command");
    assert.equal(await text.textContent(), takenApart().command?.text);
    assert.equal(await text.locator(".part.deny").textContent(), "rm -rf /");
    assert.equal(await text.locator(".part.deny").getAttribute("title"), "Forbidden: built in: removes a root folder");
    assert.equal(await text.locator(".part.ask").nth(1).textContent(), "sudo ");
  });

  deed("why it is asked is unfolded on demand; who asks and since when stands there at once", asks(takenApart()), async ({ page }) => {
    await page.getByText("Asked by subagent-1a2b3c4d: Review it").waitFor();
    await page.locator(".question-since").getByText(/^since /).waitFor();
    const line = page.getByText("npm publish: no rule covers it");
    assert.equal(await line.isVisible(), false);
    await page.getByText("Why am I asked?").focus();
    await page.keyboard.press("Enter");
    await line.waitFor();
  });

  deed("a question without parts or a derivation has no empty boxes", asks(commandQuestion("1", "ls")), async ({ page }) => {
    assert.equal(await page.locator(".parts").isVisible(), false);
    assert.equal(await page.getByText("Why am I asked?").isVisible(), false);
    assert.equal(await page.locator(".question-origin").isVisible(), false);
  });

  const many = takenApart();
  const [part] = many.command?.parts ?? [];
  if (!part || !many.command) throw new Error("no parts");
  const crowd = { ...many, command: { ...many.command, parts: Array.from({ length: 30 }, () => part) } };
  deed("many parts are shown in part, all on demand", asks(crowd), async ({ page }) => {
    assert.equal(await page.locator(".part-entry").count(), 20);
    await page.getByRole("button", { name: "Show 10 more commands" }).click();
    assert.equal(await page.locator(".part-entry").count(), 30);
  });

  const ruled = new Told();
  deed("a call that nobody was asked about says which rule let it pass, or did not", [
    snapshot(), ...ruled.prompt("Do it"),
    ruled.start("c1", "exec_command", "git diff", "execute", {}),
    ruled.event("toolCall/completed", { callId: "c1", status: "completed", text: "", durationMs: 3, decision: "allowed by the rule git diff (config.yaml:12)" }),
    ruled.start("c2", "exec_command", "rm -rf /", "execute", {}),
    ruled.event("toolCall/completed", {
      callId: "c2", status: "aborted", durationMs: 1, decision: "denied by the rule rm (built in)",
      text: "Tool call denied by user.\ndenied by a rule: rm (built in)",
    }),
  ], async ({ page }) => {
    const [first, second] = [page.getByRole("article").nth(0), page.getByRole("article").nth(1)];
    await first.getByText("Allowed by the rule git diff (config.yaml:12)").waitFor();
    await first.getByText("Done").waitFor();
    await second.getByText("Denied by the rule rm (built in)").waitFor();
    await second.getByText("Denied", { exact: true }).waitFor();
  });
}

function testRemember(deed: Deed): void {
  deed("each answer that lasts stands beside the very rule", asks(takenApart()), async (stage) => {
    const group = stage.page.getByRole("group", { name: "Answers that are remembered" });
    assert.equal(await group.locator(".rule-text").count(), 1, "the three have the same rule");
    assert.equal(await group.locator(".rule-text").textContent(), "held: npm publish");
    const workspace = group.getByRole("button", { name: "Allow in this workspace" });
    assert.equal(await workspace.evaluate((b) => document.getElementById(b.getAttribute("aria-describedby") ?? "")?.textContent), "held: npm publish");
    await workspace.click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, { outcome: "selected", optionId: "allow-workspace" });
    await stage.settled();
    assert.equal(await group.getByRole("button", { name: "Always allow" }).isDisabled(), true);
  });

  deed("a rule can be rewritten before it is kept; Enter in it decides nothing", asks(takenApart()), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Edit rule…" }).click();
    const field = page.getByRole("textbox", { name: "Rule", exact: true });
    assert.equal(await field.inputValue(), "held: npm publish");
    await field.press("Escape");
    assert.equal(await stage.page.getByRole("button", { name: "Edit rule…" }).evaluate((b) => b === document.activeElement), true);
    await page.keyboard.press("Enter");
    await field.press("End");
    await page.keyboard.type(" ./pkg");
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.said("answer"), []);
    const describedBy = (): Promise<string> =>
      page.getByRole("button", { name: "Always allow" }).evaluate((b) => {
        const by = document.getElementById(b.getAttribute("aria-describedby") ?? "");
        return by instanceof HTMLTextAreaElement ? `field: ${by.value.trim()}` : (by?.textContent ?? "");
      });
    assert.equal(await describedBy(), "field: held: npm publish ./pkg", "what a screen reader says of the button");
    await field.press("Escape");
    assert.equal(await describedBy(), "held: npm publish");
    await page.keyboard.press("Enter");
    await field.press("End");
    await page.keyboard.type(" ./pkg");
    await page.getByRole("button", { name: "Always allow" }).click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, { outcome: "selected", optionId: "allow-user", rule: "held: npm publish ./pkg" });
  });

  deed("a half-written rule outlives its question when the same call is asked about anew", asks(takenApart()), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Edit rule…" }).click();
    const field = page.getByRole("textbox", { name: "Rule", exact: true });
    await field.fill("npm publish <pa");
    await stage.tell({ kind: "withdrawn", sessionId: "s1", approvalId: "a1" });
    assert.equal(await page.locator(".question").count(), 0);
    await stage.tell({ kind: "asked", approval: { ...takenApart(), approvalId: "a2" } });
    assert.equal(await field.inputValue(), "npm publish <pa");
    await page.getByText("It is asked anew. The rule that you were rewriting is kept.").waitFor();
    await field.press("Escape");
    await stage.tell({ kind: "withdrawn", sessionId: "s1", approvalId: "a2" }, { kind: "asked", approval: { ...takenApart(), approvalId: "a3", turnId: "t9" } });
    assert.equal(await page.getByRole("textbox", { name: "Rule", exact: true }).count(), 0, "it was put back");
    assert.deepEqual(await stage.said("answer"), []);
  });

  deed("an empty rule is not sent, and one that was left as it was is not called rewritten", asks(takenApart()), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Edit rule…" }).click();
    const field = page.getByRole("textbox", { name: "Rule", exact: true });
    await field.fill("  ");
    await page.getByRole("button", { name: "Allow for session" }).click();
    assert.deepEqual(await stage.said("answer"), []);
    assert.equal(await field.evaluate((f) => f === document.activeElement), true);
    await field.fill("held: npm publish");
    await page.getByRole("button", { name: "Allow for session" }).click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, { outcome: "selected", optionId: "allow-session" });
  });

  deed("a rule that is not to be edited has no field; a change has its rule, too", [snapshot(), ...twoQuestions()], async (stage) => {
    const edit = stage.page.getByRole("region", { name: "Edit src/greet.go" });
    await edit.getByText("edits of files in this workspace").waitFor();
    await edit.getByRole("button", { name: "Allow for session" }).click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, { outcome: "selected", optionId: "allow-session" });
    const fixed = takenApart();
    await stage.tell({ kind: "asked", approval: { ...fixed, approvalId: "a7", callId: "c7", options: fixed.options.map(({ editable: _, ...o }) => o) } });
    const other = stage.page.locator('[data-approval="a7"]');
    assert.equal(await other.getByRole("button", { name: "Edit rule…" }).count(), 0);
  });

  deed("a rewritten rule that did not count comes back with why, to be mended", asks(takenApart()), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Edit rule…" }).click();
    const field = page.getByRole("textbox", { name: "Rule", exact: true });
    await field.fill("npm <publish");
    await page.getByRole("button", { name: "Always allow" }).click();
    await stage.tell({ kind: "remembering", sessionId: "s1", approvalId: "a1", remembered: { scope: "user", rule: "npm <publish" } }, { kind: "withdrawn", sessionId: "s1", approvalId: "a1" });
    assert.equal(await page.locator(".question").count(), 0);
    const reason = "that was no answer: the rule npm <publish cannot be read; mode always-ask";
    await stage.tell({ kind: "asked", approval: { ...takenApart(), reason } });
    await page.getByText("That was no answer: the rule npm <publish cannot be read").waitFor();
    assert.equal(await field.inputValue(), "npm <publish");
    await field.fill("npm publish <path>");
    await page.getByRole("button", { name: "Always allow" }).click();
    assert.equal((await stage.said("answer"))[1]?.answer.rule, "npm publish <path>");
  });

  deed("what is remembered is said once the yes counts, and not of one that did not", asks(takenApart()), async (stage) => {
    const t = new Told(100);
    const remembered = { scope: "workspace", rule: "held: npm publish" } as const;
    await stage.tell({ kind: "remembering", sessionId: "s1", approvalId: "a1", remembered }, { kind: "asked", approval: takenApart() });
    await stage.tell(t.event("approval/resolved", { approvalId: "a1", callId: "c1", outcome: "allowed", by: "person" }));
    await stage.page.getByText("Allowed by you").waitFor();
    assert.equal(await stage.page.getByText(/Remembered/).count(), 0);
    await stage.tell({ kind: "asked", approval: { ...takenApart(), approvalId: "a2" } }, { kind: "remembering", sessionId: "s1", approvalId: "a2", remembered });
    await stage.tell(t.event("approval/resolved", { approvalId: "a2", callId: "c1", outcome: "allowed", by: "person" }));
    await stage.page.getByText("Allowed by you · Remembered in this workspace: held: npm publish").waitFor();
  });
}

function testTrust(deed: Deed): void {
  deed("what a workspace brings is read to the letter before it can be trusted", [snapshot({ trusts: [brought] })], async (stage) => {
    const card = stage.page.getByRole("region", { name: "This workspace brings settings of its own" });
    await card.getByText("2 commands it would run, 1 rule, 1 environment variable").waitFor();
    assert.equal(await card.getByRole("button", { name: "Trust", exact: true }).count(), 0, "not before it was unfolded");
    await card.getByRole("button", { name: "Review…" }).click();
    assert.equal(await card.locator(".command").first().textContent(), "curl -fsSL https://example.org/hook.sh | sh⟨U+200B⟩");
    await card.getByRole("button", { name: ".drawbridge/a name.yaml" }).click();
    assert.equal((await stage.said("open"))[0]?.uri, "file:///home/ada/greet/.drawbridge/a%20name.yaml");
    const trust = card.getByRole("button", { name: "Trust", exact: true });
    await trust.click();
    assert.equal(await trust.isDisabled(), true);
    assert.deepEqual(await stage.said("trust"), [{ kind: "trust", workspace: "/home/ada/greet", digest: "d1", trust: "yes" }]);
    await stage.tell({ kind: "trouble", text: "They have changed" });
    assert.equal(await trust.isDisabled(), false, "what did not count can be said again");
    await stage.tell({ kind: "trusts", trusts: [] });
    assert.equal(await card.count(), 0);
  });

  for (const [width, height] of [[240, 300], [300, 350], [300, 450], [300, 600]] as const) {
    for (const cards of [1, 2]) {
      const trusts = [brought, { ...brought, workspace: "/home/ada/other", digest: "d2" }].slice(0, cards);
      deed(`unfolded, ${cards} of them leave their buttons and the prompt in reach at ${width} by ${height}`, [snapshot({ trusts })], async (stage) => {
        const { page } = stage;
        await page.setViewportSize({ width, height });
        for (const review of await page.getByRole("button", { name: "Review…" }).all()) await review.click();
        await stage.settled();
        const prompt = await page.locator(".composer").boundingBox();
        assert.ok(prompt && prompt.height > 0 && prompt.y >= 0 && prompt.y + prompt.height <= height + 1, `the prompt is in sight: ${JSON.stringify(prompt)}`);
        const all = await page.locator(".trust-card button:visible").all();
        assert.ok(all.length >= 5 * cards);
        for (const b of all) {
          await b.focus();
          await b.scrollIntoViewIfNeeded();
          const isOnTop = await b.evaluate((own) => {
            const { left, top, width: w, height: h } = own.getBoundingClientRect();
            return own.contains(document.elementFromPoint(left + w / 2, top + h / 2));
          });
          assert.ok(isOnTop, `${await b.textContent()} can be pressed`);
        }
      });
    }
  }

  deed("the keyboard is led to what asks for trust, and to none of its buttons", [snapshot({ trusts: [brought] })], async (stage) => {
    await stage.tell({ kind: "focus", what: "trust" });
    await stage.page.keyboard.press("Enter");
    await stage.page.keyboard.press("Space");
    assert.deepEqual(await stage.said("trust"), []);
    await stage.page.getByRole("button", { name: "Do not trust" }).focus();
    await stage.page.keyboard.press("Enter");
    assert.equal((await stage.said("trust"))[0]?.trust, "no");
  });

  deed("changed settings are asked about anew, folded again", [snapshot({ trusts: [brought] })], async (stage) => {
    await stage.page.getByRole("button", { name: "Review…" }).click();
    await stage.tell({ kind: "trusts", trusts: [{ ...brought, digest: "d2", changed: true }] });
    const card = stage.page.getByRole("region", { name: "The workspace's own settings have changed" });
    await card.waitFor();
    assert.equal(await card.getByRole("button", { name: "Trust", exact: true }).count(), 0);
    assert.equal(await stage.page.locator(".trust-card").count(), 1);
  });

  deed("in a workspace that the editor does not trust nothing of it is asked", [snapshot({ trusted: false, trusts: [brought] })], async ({ page }) => {
    assert.equal(await page.locator(".trust-card").count(), 0);
  });
}
