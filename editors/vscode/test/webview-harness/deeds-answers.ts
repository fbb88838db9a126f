/** Questions: each answer is one press on what was shown, and carries the id that was pressed. */
import assert from "node:assert/strict";
import {
  changeQuestion,
  commandQuestion,
  hunk,
  longCommand,
  snapshot,
  threeHunks,
  Told,
  twoQuestions,
} from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import type { ApprovalRequestParams } from "../../src/protocol.gen.ts";

export function testAnswers(deed: Deed): void {
  testCommands(deed);
  testEditedCommand(deed);
  testChanges(deed);

  deed("a settled question folds into its call, with who and why", [snapshot(), ...twoQuestions()], async (stage) => {
    const t = new Told();
    for (let i = 0; i < 20; i++) t.say(""); // numbers beyond those of the scene
    await stage.tell(
      t.event("approval/resolved", { approvalId: "a2", callId: "c2", outcome: "denied", by: "person" }),
      t.done("c2", 'Tool call denied by user.\ndeclined by the user: "not now"', "aborted"),
    );
    assert.equal(await stage.page.locator(".question").count(), 1);
    const call = stage.page.getByRole("article").nth(1);
    await call.getByText("Denied by you: “not now”").waitFor();
    await stage.tell({ kind: "withdrawn", sessionId: "s1", approvalId: "a1" });
    assert.equal(await stage.page.locator(".question").count(), 0);
  });

  deed(
    "a question of no known call is shown",
    [snapshot(), ...new Told().prompt("x"), { kind: "asked", approval: commandQuestion("9", "ls") }],
    async (stage) => {
      await stage.page.getByRole("region", { name: "ls" }).getByRole("button", { name: "Allow", exact: true }).click();
      assert.equal((await stage.said("answer"))[0]?.approvalId, "a9");
    },
  );
}

function testCommands(deed: Deed): void {
  deed(
    "of several questions the one that is pressed is answered, once",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const second = stage.page.getByRole("region", { name: "npm test" });
      await second.getByText("2 of 2").waitFor();
      await second.getByRole("button", { name: "Allow", exact: true }).click();
      assert.deepEqual(await stage.said("answer"), [
        { kind: "answer", sessionId: "s1", approvalId: "a2", answer: { outcome: "selected", optionId: "allow" } },
      ]);
      await stage.settled();
      assert.equal(await second.getByRole("button", { name: "Deny", exact: true }).isDisabled(), true);
      assert.equal(await stage.page.getByRole("button", { name: "Accept all" }).isDisabled(), false);
    },
  );

  deed("an answer that did not count can be given again", [snapshot(), ...twoQuestions()], async (stage) => {
    const second = stage.page.getByRole("region", { name: "npm test" });
    await second.getByRole("button", { name: "Deny", exact: true }).click();
    await stage.tell({ kind: "asked", approval: commandQuestion("2", "npm test -- --watch=false") });
    await second.getByRole("button", { name: "Allow for session" }).click();
    assert.deepEqual(
      (await stage.said("answer")).map(({ answer }) => answer.optionId),
      ["deny", "allow-session"],
    );
  });

  deed(
    "Enter in the field for a reason denies with it; Escape only closes the field",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const { page } = stage;
      const second = page.getByRole("region", { name: "npm test" });
      const opener = second.getByRole("button", { name: "Deny with a reason…" });
      await opener.click();
      await page.keyboard.type("use make");
      await page.keyboard.press("Escape");
      assert.equal(await opener.evaluate((e) => e === document.activeElement), true, "the keyboard is back");
      await opener.click();
      await page.keyboard.press("End");
      await page.keyboard.type(" test");
      await page.keyboard.press("Enter");
      assert.deepEqual(await stage.said("answer"), [
        {
          kind: "answer",
          sessionId: "s1",
          approvalId: "a2",
          answer: { outcome: "selected", optionId: "deny", comment: "use make test" },
        },
      ]);
    },
  );

  deed(
    "a command is shown whole, with its folder and that nothing confines it",
    asked(commandQuestion("1", longCommand, true)),
    async ({ page }) => {
      assert.equal(await page.locator(".command").textContent(), longCommand);
      await page.getByText("/home/ada/greet").waitFor();
      await page.getByText("Not confined").waitFor();
      await page.getByText("commands that begin with “find”").waitFor();
    },
  );

  deed("a command can be edited before it is allowed", asked(commandQuestion("1", "make all")), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Edit…" }).click();
    assert.equal(await page.getByRole("button", { name: "Allow", exact: true }).isVisible(), false);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("button", { name: "Allow", exact: true }).isVisible(), true);
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" -n");
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.said("answer"), [], "Enter begins a line");
    await page.keyboard.press("Backspace");
    await page.getByRole("button", { name: "Allow edited" }).click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, {
      outcome: "selected",
      optionId: "allow",
      command: "make all -n",
    });
  });
}

function testEditedCommand(deed: Deed): void {
  const long = Array.from({ length: 30 }, (_, i) => `echo line ${i}`).join("\n");

  for (const [size, command] of [
    ["of some lines is whole", longCommand],
    ["of many lines is shown from its beginning", long],
  ] as const) {
    deed(`the field for a command ${size}`, asked(commandQuestion("1", command)), async ({ page }) => {
      await page.getByRole("button", { name: "Edit…" }).click();
      const field = page.getByRole("textbox", { name: "Command" });
      const { height, whole, top, line } = await field.evaluate((e) => ({
        height: e.clientHeight,
        whole: e.scrollHeight,
        top: e.scrollTop,
        line: parseFloat(getComputedStyle(e).lineHeight),
      }));
      assert.equal(top, 0);
      if (command === long) assert.ok(height > 11 * line && height < 14 * line, `${height} pixels of ${line} each`);
      else assert.ok(whole <= height + 1, `${whole} pixels in ${height}`);
    });
  }

  deed("what a yes for longer covers is said only while it can be given", asked(commandQuestion("1", "make")), async ({ page }) => {
    const rule = page.getByText("commands that begin with “make”");
    assert.equal(await rule.isVisible(), true);
    await page.getByRole("button", { name: "Edit…" }).click();
    assert.equal(await rule.isVisible(), false);
    await page.getByRole("button", { name: "Back" }).click();
    assert.equal(await rule.isVisible(), true);
  });

  deed("a command that was changed is the headline, with what was asked for inside", asked(commandQuestion("1", "make all")), async (stage) => {
    const { page } = stage;
    const t = new Told();
    for (let i = 0; i < 20; i++) t.say("");
    await stage.tell(
      t.event("approval/resolved", { approvalId: "a1", callId: "c1", outcome: "allowed", by: "person" }),
      t.event("toolCall/updated", { callId: "c1", title: "make test" }),
    );
    const card = page.getByRole("article");
    assert.equal(await card.locator(".call-title").textContent(), "make test");
    await card.getByText("You changed the command").waitFor();
    await card.getByRole("button", { name: /^make test/ }).click();
    await card.getByRole("heading", { name: "What the model asked for" }).waitFor();
    await card.getByText("make all").waitFor();
  });

  deed("that nothing confines a command is said once, the mode by both its names", asked({
    ...commandQuestion("1", "make", true), reason: "mode always-ask; unconfined",
  }), async ({ page }) => {
    assert.equal(await page.locator(".question-reason").textContent(), "Mode Ask always (always-ask)");
    assert.equal(await page.getByText(/confined/i).count(), 1);
  });
}

function testChanges(deed: Deed): void {
  deed(
    "hunks are decided one by one, and a decision can be taken back",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const { page } = stage;
      const first = page.getByRole("group", { name: /^Hunk 1 of 3/ });
      await first.getByRole("button", { name: "Accept" }).click();
      await stage.tell({ kind: "marks", changeId: "g1", marks: { h1: "accept" } });
      await first.getByRole("button", { name: "Accept", pressed: true }).waitFor();
      await first.getByText("Accepted").waitFor();
      await page.getByRole("button", { name: "Reject the rest" }).waitFor();
      await first.getByRole("button", { name: "Accept" }).click();
      assert.deepEqual(
        (await stage.said("mark")).map(({ hunkId, verdict }) => [hunkId, verdict]),
        [
          ["h1", "accept"],
          ["h1", null],
        ],
      );
      assert.deepEqual(await stage.said("answer"), [], "the last decision answers, not the view");
    },
  );

  deed("accept and reject all hunks", [snapshot(), ...twoQuestions()], async (stage) => {
    await stage.page.getByRole("button", { name: "Accept all" }).click();
    await stage.page.getByRole("button", { name: "Reject all" }).click();
    assert.deepEqual(
      (await stage.said("markAll")).map(({ changeId, verdict }) => [changeId, verdict]),
      [
        ["g1", "accept"],
        ["g1", "reject"],
      ],
    );
  });

  deed("a change without a hunk is answered as a whole", asked(changeQuestion("1", [], "")), async (stage) => {
    await stage.page.getByRole("button", { name: "Reject" }).click();
    assert.deepEqual((await stage.said("answer"))[0]?.answer, { outcome: "selected", optionId: "deny" });
  });

  deed(
    "one hunk has one pair of buttons",
    asked(changeQuestion("1", [hunk(1, 0, "a\n", "b\n")], "")),
    async ({ page }) => {
      assert.equal(await page.getByRole("button", { name: "Accept" }).count(), 1);
      assert.equal(await page.getByRole("button", { name: "Reject" }).count(), 1);
    },
  );

  deed("the diff and the proposal open in the editor", [snapshot(), ...twoQuestions()], async (stage) => {
    const question = stage.page.getByRole("region", { name: "Edit src/greet.go" });
    await question.getByRole("button", { name: "Open diff" }).click();
    await question.getByRole("button", { name: "Edit…" }).click();
    assert.equal((await stage.said("openChange"))[0]?.changeId, "g1");
    assert.equal((await stage.said("editProposal"))[0]?.changeId, "g1");
  });

  deed("many hunks and long ones are shown in part, all on demand", asked(manyHunks()), async (stage) => {
    const { page } = stage;
    assert.equal(await page.locator(".hunk").count(), 25);
    await page.getByRole("button", { name: "Show 15 more hunks" }).click();
    assert.equal(await page.locator(".hunk").count(), 40);
    await page.getByRole("button", { name: "Show 180 more lines" }).click();
    assert.equal(await page.locator(".hunk").first().locator(".diff-line").count(), 300);
  });

  deed("hunks that are applied can be kept and taken back, kept ones still be taken back", applied(), async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: /^Edit src\/greet.go/ }).click();
    const first = page.getByRole("group", { name: /^Hunk 1 of 3, .*, kept$/ });
    await first.waitFor();
    assert.deepEqual(await first.getByRole("button").allTextContents(), ["Take back"]);
    await page
      .getByRole("group", { name: /^Hunk 2 of 3/ })
      .getByRole("button", { name: "Keep" })
      .click();
    await page
      .getByRole("group", { name: /^Hunk 2 of 3/ })
      .getByRole("button", { name: "Take back" })
      .click();
    await page.getByRole("button", { name: "Take back all" }).click();
    assert.deepEqual(
      (await stage.said("resolve")).map(({ hunks, verdict }) => [hunks, verdict]),
      [
        [["h2"], "accept"],
        [["h2"], "reject"],
        ["all", "reject"],
      ],
    );
    assert.equal(
      await page
        .getByRole("group", { name: /^Hunk 3 of 3/ })
        .getByRole("button")
        .count(),
      0,
      "what was rejected cannot be taken back",
    );
  });

  deed("a turn that changed files can be rewound at its prompt once it has ended", applied(), async (stage) => {
    const { page } = stage;
    const rewind = page.getByRole("button", { name: "Rewind to before this prompt…" });
    const prompt = page.getByRole("region", { name: "You" }).first();
    await prompt.hover();
    const places = await Promise.all([rewind, page.getByRole("button", { name: "Edit and send again" })].map((b) => b.boundingBox()));
    assert.ok(places[0] && places[1] && places[0].x + places[0].width <= places[1].x, "side by side");
    await rewind.click();
    assert.deepEqual((await stage.said("rewind")).map(({ sessionId, turnId }) => [sessionId, turnId]), [["s1", "t1"]]);
    const t = new Told(1000);
    await stage.tell(...t.prompt("And now?", "t2"));
    assert.equal(await rewind.count(), 0, "not while a turn runs");
    await stage.tell(...t.end("endTurn", {}, "t2"));
    await prompt.hover();
    assert.equal(await rewind.count(), 1, "the second turn changed nothing");
    const [again] = await Promise.all([rewind.boundingBox()]);
    assert.equal(again?.x, places[1]?.x, "no gap where the other button was");
  });

  deed("what the model was told of a person's deeds is a quiet line, a long one folded", remarked(), async ({ page }) => {
    const told = page.getByRole("region", { name: "What the model learns" });
    await told.getByText("The model was told: The user took back hunk 2 of src/greet.go.").waitFor();
    await told.getByText("The model was told: The user rewrote src/greet.go:").waitFor();
    assert.equal(await told.locator("pre").isVisible(), false);
    await told.getByText("All of it").click();
    assert.equal(await told.locator("pre").textContent(), "-hello\n+[good day](command:drawbridge.open)");
    assert.equal(await told.locator("a").count(), 0, "nothing in it acts");
  });
}

function asked(approval: ApprovalRequestParams): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Do it"),
    t.start(approval.callId, "x", approval.title, approval.access, approval.command ? { command: approval.command.text } : {}),
    t.asks(),
    { kind: "asked", approval },
  ];
}

function manyHunks(): ApprovalRequestParams {
  const first = hunk(1, 0, "", "a line\n".repeat(300));
  return changeQuestion(
    "1",
    [first, ...Array.from({ length: 39 }, (_, i) => hunk(i + 2, 10 * i, `old ${i}\n`, `new ${i}\n`))],
    "",
  );
}

function remarked(): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Go on"),
    t.event("turn/notified", {
      turnId: "t1", notices: [],
      remarks: ["The user took back hunk 2 of src/greet.go.", "The user rewrote src/greet.go:\n-hello\n+[good day](command:drawbridge.open)"],
    }),
    t.say("I see."),
    ...t.end("endTurn"),
  ];
}

function applied(): ToView[] {
  const t = new Told();
  const states = ["kept", "applied", "rejected"] as const;
  const hunks = threeHunks.map((h, i) => ({ ...h, state: states[i] ?? "rejected" }));
  return [
    snapshot(),
    ...t.prompt("Do it"),
    t.start("c1", "edit_file", "Edit src/greet.go", "write", {}),
    t.event("change/updated", {
      changeId: "g1",
      callId: "c1",
      turnId: "t1",
      uri: "file:///home/ada/greet/src/greet.go",
      kind: "modify",
      state: "partly",
      base: "b2",
      hunks,
    }),
    t.done("c1", "2 of 3 hunks applied"),
    ...t.end("endTurn"),
  ];
}
