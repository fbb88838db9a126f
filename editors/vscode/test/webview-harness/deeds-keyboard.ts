/** The keyboard alone: everything is reached, and it goes nowhere unasked. */
import assert from "node:assert/strict";
import { answered, snapshot, twoQuestions } from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./stage.ts";

export function testKeyboard(deed: Deed): void {
  deed("Tab goes through the view in the order it is read", [snapshot(), ...twoQuestions()], async (stage) => {
    const names = await tabThrough(stage, 45);
    const order = [
      "Sessions: Make the greeting polite",
      "Conversation",
      "Accept",
      "Reject",
      "Accept all",
      "Reject all",
      "Open diff",
      "Deny with a reason…",
      "Edit rule…",
      "Allow for session",
      "Review",
      "Prompt",
      "Stop",
      "Steer",
      "Mode: Ask always",
      "Limits: Workspace",
      "Model: claude-opus",
    ];
    assert.deepEqual(
      order.filter((name) => !names.includes(name)),
      [],
      "not reached",
    );
    const places = order.map((name) => names.indexOf(name));
    assert.deepEqual(
      [...places].sort((a, b) => a - b),
      places,
      names.join(", "),
    );
  });

  deed("what has the keyboard can be seen", [snapshot(), ...twoQuestions()], async (stage) => {
    for (let i = 0; i < 40; i++) {
      await stage.page.keyboard.press("Tab");
      const shown = await stage.page.evaluate(() => {
        const at = document.activeElement;
        if (!at || at === document.body) return true;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        return at.matches(".prompt-input") || (outlineStyle !== "none" && outlineWidth !== "0px");
      });
      assert.ok(shown, await stage.keyboard());
    }
  });

  deed(
    "Review leads to one question after the other, not to a button of it",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const review = stage.page.getByRole("button", { name: "Review" });
      await review.click();
      assert.equal(await stage.keyboard(), "Edit src/greet.go");
      await stage.page.keyboard.press("Enter");
      await stage.page.keyboard.press("Space");
      await review.click();
      assert.equal(await stage.keyboard(), "npm test -- --watch=false");
      await stage.tell({ kind: "focus", what: "approval", approvalId: "a1" });
      assert.equal(await stage.keyboard(), "Edit src/greet.go");
      await stage.tell({ kind: "focus", what: "prompt" });
      assert.equal(await stage.keyboard(), "Prompt");
      assert.deepEqual(
        [...(await stage.said("answer")), ...(await stage.said("mark")), ...(await stage.said("markAll"))],
        [],
      );
    },
  );

  deed("hunks are decided with A and R, and left with the arrows", [snapshot(), ...twoQuestions()], async (stage) => {
    const { page } = stage;
    await page
      .getByRole("group", { name: /^Hunk 1/ })
      .getByRole("button", { name: "Accept" })
      .focus();
    await page.keyboard.press("a");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("r");
    await page.keyboard.press("Control+a");
    assert.deepEqual(
      (await stage.said("mark")).map(({ hunkId, verdict }) => [hunkId, verdict]),
      [
        ["h1", "accept"],
        ["h2", "reject"],
      ],
    );
  });

  deed("a picker opens, moves, chooses and closes by keyboard", [snapshot(), ...answered()], async (stage) => {
    const { page } = stage;
    const mode = page.getByRole("button", { name: "Mode: Ask always" });
    await mode.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    assert.deepEqual(await stage.said("configure"), []);
    assert.equal(await mode.evaluate((e) => e === document.activeElement), true);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.said("configure"), [{ kind: "configure", mode: "auto-edit" }]);
  });

  deed("sessions open from a command and close with Escape", [snapshot(), ...answered()], async (stage) => {
    await stage.tell({ kind: "focus", what: "sessions" });
    assert.equal(await stage.keyboard(), "Filter sessions");
    await stage.page.keyboard.press("Escape");
    assert.equal(await stage.keyboard(), "Sessions: Make the greeting polite");
    await stage.tell({ kind: "focus", what: "resend" });
    assert.equal(await stage.keyboard(), "The prompt, to be sent again");
  });
}

async function tabThrough(stage: Stage, most: number): Promise<string[]> {
  const names: string[] = [];
  for (let i = 0; i < most; i++) {
    await stage.page.keyboard.press("Tab");
    names.push(await stage.keyboard());
  }
  return names;
}
