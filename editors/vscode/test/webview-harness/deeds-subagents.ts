/** Subagents, pictures and addresses: what is seen of them, and what can be done. */
import assert from "node:assert/strict";
import { newConversation, reduce } from "../../src/model/reduce.ts";
import { introduced } from "../../src/model/subagents.ts";
import { session, snapshot, Told } from "./scenes.ts";
import { address, asking, Child, inBackground, originOf, pictured, replayed, subagent, working, works } from "./subagents.ts";
import type { Deed } from "./deeds.ts";

export function testSubagents(deed: Deed): void {
  testNested(deed);
  testQuestions(deed);
  testBackground(deed);
  testPictures(deed);
  testProfile(deed);
}

function testNested(deed: Deed): void {
  const t = new Told();
  const c = new Child(1);
  deed("a subagent is seen at work within the card of its call, and stopped there", working(t, c), async (stage) => {
    const { page } = stage;
    const card = page.getByRole("region", { name: "Subagent subagent-1a2b3c4d: Look for the tests" });
    await card.getByText("I look at the tests first.").waitFor();
    await card.locator(".call-title", { hasText: "Read greet_test.go" }).waitFor();
    await card.getByRole("region", { name: "What it was asked" }).getByText("Change nothing.").waitFor();
    assert.equal(await page.getByRole("region", { name: "You" }).count(), 1, "no person said what it was asked");
    const toggle = card.locator(".subagent-head button");
    await toggle.click();
    assert.equal(await toggle.getAttribute("aria-expanded"), "false");
    await card.locator(".subagent-now", { hasText: "Read greet_test.go" }).waitFor();
    await stage.tell(c.say("Here they are:\n- greet_test.go"));
    await card.locator(".subagent-now", { hasText: "- greet_test.go" }).waitFor();
    await card.getByRole("button", { name: "Stop subagent" }).click();
    assert.deepEqual(await stage.said("stopSubagent"), [{ kind: "stopSubagent", sessionId: "s1", subagentId: "subagent-1a2b3c4d" }]);
    await stage.tell(t.event("subagent/updated", { subagent: subagent(1, "ended", { detail: "stopped by you" }) }));
    await card.getByText("stopped by you").waitFor();
    assert.equal(await card.getByRole("button", { name: "Stop subagent" }).isVisible(), false);
  });
  deed("of a subagent of an earlier run its conversation is fetched, and read where it was started", replayed(), async (stage) => {
    const { page } = stage;
    const card = page.getByRole("region", { name: /^Subagent subagent-1a2b3c4d/ });
    await card.getByText("Ended").waitFor();
    await card.getByRole("button", { name: "Show its conversation" }).click();
    assert.deepEqual(await stage.said("loadChild"), [{ kind: "loadChild", sessionId: "child1" }]);
    const conversation = newConversation(introduced("child1", originOf(1), session));
    for (const event of works(new Child(1))) if (event.kind === "event") reduce(conversation, event.method, event.params);
    await stage.tell({ kind: "child", conversation });
    await card.getByText("I look at the tests first.").waitFor();
    assert.equal(await card.getByRole("button", { name: "Show its conversation" }).isVisible(), false);
    assert.equal(await card.getByRole("textbox").count(), 0, "it takes no prompt");
  });
  deed("a subagent that was only heard of by what it does is shown all the same", [
    snapshot(), ...new Told().prompt("x"), new Told(5).start("r1", "run_subagent", "x", "read", {}), ...works(new Child(1)),
  ], async ({ page }) => {
    await page.getByRole("region", { name: /^Subagent subagent-1a2b3c4d/ }).getByText("Read greet_test.go").waitFor();
  });
  deed("what is of another session's subagent is not shown", [...working(), {
    kind: "child", conversation: newConversation(introduced("child9", { ...originOf(1), sessionId: "s2" }, session)),
  }], async ({ page }) => {
    assert.equal(await page.locator(".subagent").count(), 1);
  });
}

function testQuestions(deed: Deed): void {
  const t = new Told();
  const one = new Child(1);
  deed("questions of subagents stand in their cards, folded or not, and each answer goes to its own session", asking(t, one), async (stage) => {
    const { page } = stage;
    await page.locator(".strip", { hasText: "2 questions wait for you" }).waitFor();
    assert.match((await page.locator(".spoken").textContent()) ?? "", /Question of subagent-1a2b3c4d: go test/);
    const first = page.getByRole("region", { name: "go test ./..., asked by subagent-1a2b3c4d" });
    await first.getByText("Asked by subagent-1a2b3c4d: Look for the tests").waitFor();
    await first.getByText("1 of 2").waitFor();
    await page.locator(".subagent").first().locator(".subagent-head button").first().click();
    assert.equal(await first.isVisible(), true);
    await page.locator(".subagent").first().getByText("Waiting for you").first().waitFor();
    await first.getByRole("button", { name: "Allow", exact: true }).click();
    const [answer] = await stage.said("answer");
    assert.deepEqual([answer?.sessionId, answer?.approvalId], ["child1", "a2.1"]);
    await stage.tell(
      { kind: "withdrawn", sessionId: "child1", approvalId: "a2.1" },
      one.event("approval/resolved", { approvalId: "a2.1", callId: "c2.1", outcome: "allowed", by: "person" }),
    );
    assert.equal(await first.count(), 0);
    assert.match(await stage.keyboard(), /^Edit src\/greet\.go, asked by subagent-2a2b3c4d/);
    const second = page.getByRole("region", { name: /^Edit src\/greet\.go/ });
    await second.getByRole("button", { name: "Open diff" }).click();
    await second.getByRole("group", { name: /^Hunk 2 / }).getByRole("button", { name: "Reject" }).click();
    assert.deepEqual(await stage.said("openChange"), [{ kind: "openChange", sessionId: "child2", changeId: "g1.2" }]);
    const [mark] = await stage.said("mark");
    assert.deepEqual([mark?.sessionId, mark?.changeId, mark?.hunkId, mark?.verdict], ["child2", "g1.2", "h2", "reject"]);
    await stage.tell({ kind: "marks", changeId: "g1.2", marks: { h2: "reject" } });
    await second.getByText("Rejected", { exact: true }).waitFor();
  });
  deed("the next question is one after the other, across subagents", asking(), async (stage) => {
    for (const name of [/^go test/, /^Edit src/, /^go test/]) {
      await stage.page.locator(".strip").getByRole("button", { name: "Review" }).click();
      assert.match(await stage.keyboard(), name);
    }
  });
  const many = new Told();
  deed("a subagent that asks long after it was started is brought into the page", [
    ...inBackground(many),
    ...Array.from({ length: 160 }, (_, i) => [...many.prompt(`again ${i}`, `t${i + 2}`), many.say("ok"), ...many.end("endTurn", {}, `t${i + 2}`)]).flat(),
  ], async (stage) => {
    const two = new Child(2);
    const [, , , , , , , asked] = asking(new Told(), new Child(1), two);
    assert.equal(asked?.kind, "event");
    await stage.tell(...asking(new Told(), new Child(1), two).filter((m) => m.kind === "asked" && m.approval.sessionId === "child2"));
    await stage.page.getByRole("region", { name: /^Edit src\/greet\.go, asked by/ }).waitFor({ state: "attached" });
    await stage.page.locator(".strip").getByRole("button", { name: "Review" }).click();
    assert.match(await stage.keyboard(), /^Edit src\/greet\.go, asked by subagent-2a2b3c4d/);
  });
  deed("an address that would be read is shown whole, with whom it reaches", address(), async (stage) => {
    const asked = stage.page.getByRole("region", { name: "Read https://images.example/a.png" });
    await asked.getByRole("heading", { name: "Read from this address?" }).waitFor();
    assert.equal(await asked.locator(".command").textContent(), "https://images.example/a.png?q=⟨U+202E⟩secret");
    await asked.getByText("Asks images.example, which learns this address").waitFor();
    await asked.getByRole("button", { name: "Deny", exact: true }).click();
    assert.equal((await stage.said("answer"))[0]?.answer.optionId, "deny");
  });
}

function testBackground(deed: Deed): void {
  const two = new Child(2);
  deed("subagents in the background are listed with the commands, theirs too, and stopped there", inBackground(new Told(), new Child(1), two), async (stage) => {
    const { page } = stage;
    const list = page.getByRole("region", { name: "Running commands" });
    await list.getByRole("button", { name: "1 subagent works · Runs: make watch" }).click();
    const row = list.getByRole("listitem").filter({ hasText: "Mend the greeting" });
    await row.getByText("subagent-2a2b3c4d · working").waitFor();
    await row.getByRole("button", { name: "Show subagent" }).click();
    assert.match(await stage.keyboard(), /^Subagent subagent-2a2b3c4d/);
    await row.getByRole("button", { name: "Stop subagent" }).click();
    assert.deepEqual((await stage.said("stopSubagent")).map((m) => m.subagentId), ["subagent-2a2b3c4d"]);
    await list.getByRole("listitem").filter({ hasText: "make watch" }).getByRole("button", { name: "Show terminal" }).click();
    assert.deepEqual(await stage.said("showTerminal"), [{ kind: "showTerminal", sessionId: "child2", terminalId: "x1.2" }]);
  });
}

function testPictures(deed: Deed): void {
  deed("a picture is shown small, opens large, and a drawing that could act is none", pictured(), async (stage) => {
    const { page } = stage;
    const card = page.getByRole("article");
    const image = card.getByRole("img", { name: "Picture 1 of 3: Read docs/logo.png: image/png, 68 B" });
    await image.waitFor({ state: "attached" });
    assert.match((await image.getAttribute("src")) ?? "", /^data:image\/png;base64,/);
    await card.getByText("Picture 2 of 3: Read docs/logo.png: image/png, 68 B cannot be shown here").waitFor();
    await card.getByText("Picture 3 of 3: Read docs/logo.png: image/png, 68 B cannot be shown here").waitFor();
    assert.equal(await card.locator("img").count(), 1);
    await card.getByRole("button", { name: /^Open Picture 1 of 3/ }).click();
    assert.deepEqual(await stage.said("openPicture"), [{ kind: "openPicture", sessionId: "s1", callId: "c1", index: 0 }]);
  });
}

function testProfile(deed: Deed): void {
  deed("which tools the model has stands in the head, and is chosen before the first word", [
    snapshot({ conversation: newConversation({ ...session, profile: "compact" }) }),
  ], async (stage) => {
    const { page } = stage;
    await page.locator("header").getByText("Compact tools").waitFor();
    await page.getByRole("button", { name: "Compact tools…" }).click();
    assert.deepEqual(await stage.said("chooseProfile"), [{ kind: "chooseProfile" }]);
    await stage.tell(snapshot());
    assert.equal(await page.locator("header .profile").isVisible(), false);
  });
}
