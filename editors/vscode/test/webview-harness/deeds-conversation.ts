/** The log: what streams in, what is folded, what is scrolled, and what is safe to show. */
import assert from "node:assert/strict";
import { answered, commandQuestion, long, session, snapshot, Told, twoQuestions } from "./scenes.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./stage.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import { cutOff, newConversation, reduce } from "../../src/model/reduce.ts";

export function testConversation(deed: Deed): void {
  testStreaming(deed);
  testScrolling(deed);
  testTurns(deed);
  testReturned(deed);
  testWaiting(deed);
  testSafety(deed);

  deed("a call shows its input and output when it is unfolded", [snapshot(), ...answered()], async (stage) => {
    const { page } = stage;
    const head = page.getByRole("button", { name: /^go test/ });
    assert.equal(await head.getAttribute("aria-expanded"), "false");
    assert.equal(await page.getByText("greet_test.go:9").isVisible(), false);
    await head.click();
    assert.equal(await head.getAttribute("aria-expanded"), "true");
    await page.getByText("greet_test.go:9").waitFor();
    await page.getByText("Exit code 1").waitFor();
    await page.getByRole("button", { name: "Show terminal" }).click();
    assert.equal((await stage.said("showTerminal"))[0]?.terminalId, "x1");
  });

  deed("code is copied as it is written", [snapshot(), ...answered()], async (stage) => {
    await stage.page.getByRole("button", { name: "Copy go code" }).click();
    await stage.page.locator(".code .codicon-check").waitFor();
    const copied = await stage.page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^\/\/ Bye says goodbye\.\nfunc Bye\(name string\) string \{\n\treturn /);
  });

  deed("a place in the workspace opens in the editor", [snapshot(), ...answered()], async (stage) => {
    await stage.page.getByRole("link", { name: "greet.go" }).click();
    assert.deepEqual(await stage.said("open"), [{ kind: "open", uri: "file:///home/ada/greet/src/greet.go", line: 4 }]);
  });

  deed("states and questions are spoken, text that streams in is not", [snapshot()], async (stage) => {
    const t = new Told();
    const spoken = stage.page.getByRole("status");
    await stage.tell(...t.prompt("x"));
    assert.equal(await spoken.textContent(), "Working");
    await stage.tell(t.say("Here it comes"));
    assert.equal(await spoken.textContent(), "Working");
    await stage.tell({ kind: "asked", approval: commandQuestion("1", "make") });
    assert.equal(await spoken.textContent(), "Question: make");
    await stage.tell({ kind: "withdrawn", sessionId: "s1", approvalId: "a1" }, ...t.end("cancelled"));
    assert.equal(await spoken.textContent(), "Stopped");
    assert.equal(await stage.page.getByRole("log").getAttribute("aria-live"), "off");
  });
}

function testStreaming(deed: Deed): void {
  deed("only the end is rendered again while an answer streams in", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), t.say("First *paragraph*.\n\n"), t.say("```go\nvar a = 1\n```\n\nThird"));
    await stage.page.evaluate(() =>
      document.querySelectorAll(".block").forEach((b) => b.setAttribute("data-seen", "")),
    );
    await stage.tell(t.say(" goes on,\n\nfourth"));
    const seen = await stage.page.locator(".block").evaluateAll((all) => all.map((b) => b.hasAttribute("data-seen")));
    assert.deepEqual(seen, [true, false, false, false]);
    await stage.tell(t.say(" line\n\nfifth"));
    assert.deepEqual(
      await stage.page.locator(".block").evaluateAll((all) => all.map((b) => b.hasAttribute("data-seen"))),
      [true, false, false, false, false],
    );
    assert.equal(
      await stage.page
        .locator(".message")
        .textContent()
        .then((text) => text?.includes("Third goes on,")),
      true,
    );
  });

  deed("an answer looks the same streamed and whole", [snapshot()], async (stage) => {
    const text =
      "Intro\n- one\n- two\n\n  more of two\n\n1. x\n2. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSee [the page].\n\n    code\n\n> quote\ngoes on\n\n[the page]: https://go.dev\n";
    const t = new Told();
    await stage.tell(...t.prompt("x"));
    for (const piece of text.match(/[^]{1,3}/g) ?? []) await stage.tell(t.say(piece));
    const streamed = await stage.page.locator(".message").innerHTML();
    const whole = new Told();
    const other = { ...session, sessionId: "s1" };
    await stage.tell(
      snapshot({ conversation: null }),
      snapshot({ conversation: { ...empty(other) } }),
      ...whole.prompt("x"),
      whole.say(text),
    );
    assert.equal(streamed, await stage.page.locator(".message").innerHTML());
    assert.match(streamed, /href="https:\/\/go\.dev"/);
  });

  deed(
    "what a person does in a question survives what streams in meanwhile",
    [snapshot(), ...twoQuestions()],
    async (stage) => {
      const { page } = stage;
      await page.getByRole("region", { name: "npm test" }).getByRole("button", { name: "Deny with a reason…" }).click();
      await page.keyboard.type("half a rea");
      await stage.tell({ kind: "asked", approval: commandQuestion("3", "another") });
      await page.keyboard.type("son");
      assert.equal(await page.getByRole("textbox", { name: "Reason" }).inputValue(), "half a reason");
      await page.getByText("2 of 3").waitFor();
    },
  );
}

function testScrolling(deed: Deed): void {
  const far = (stage: Stage): Promise<number> =>
    stage.page.getByRole("log").evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));

  deed(
    "the end is followed while it is in sight, and nothing moves otherwise",
    [snapshot(), ...answered()],
    async (stage) => {
      const t = new Told();
      for (let i = 0; i < 50; i++) t.say("");
      await stage.tell(...t.prompt("more", "t2"), t.say("line\n\n".repeat(60)));
      assert.equal(await far(stage), 0);
      await stage.page.getByRole("log").hover();
      await stage.page.mouse.wheel(0, -400);
      const jump = stage.page.getByRole("button", { name: "Jump to the newest" });
      await jump.waitFor();
      const before = await stage.page.getByRole("log").evaluate((log) => log.scrollTop);
      await stage.tell(t.say("line\n\n".repeat(60)));
      assert.equal(await stage.page.getByRole("log").evaluate((log) => log.scrollTop), before);
      await jump.click();
      assert.equal(await far(stage), 0);
      assert.equal(await jump.isVisible(), false);
    },
  );

  deed("a question is followed to its head, and no further: what it asks is seen before it can be allowed", [snapshot(), ...answered()], async (stage) => {
    const { page } = stage;
    await page.setViewportSize({ width: 280, height: 420 });
    await stage.tell(...twoQuestions());
    const log = await page.getByRole("log").boundingBox();
    const card = await page.locator("[data-approval]").first().boundingBox();
    assert.ok(log && card && card.height > log.height, "the question is taller than the view");
    assert.ok(Math.abs(card.y - log.y) <= 2, `its head is ${card.y - log.y} px from the top`);
    assert.equal(await page.getByRole("button", { name: "Jump to the newest" }).isVisible(), false);
    // Who goes on to the buttons is left there.
    await page.getByRole("log").evaluate((e) => e.scrollBy(0, 60));
    await stage.settled();
    const reached = await page.getByRole("log").evaluate((e) => e.scrollTop);
    await stage.tell(new Told().say("more\n\n"));
    assert.equal(await page.getByRole("log").evaluate((e) => e.scrollTop), reached);
  });

  deed("the way to the newest is below what is read, over no button", [snapshot(), ...twoQuestions()], async (stage) => {
    const { page } = stage;
    await page.getByRole("button", { name: "Deny with a reason…" }).last().click();
    for (let top = 0; top < 900; top += 15) {
      await page.getByRole("log").evaluate((log, y) => log.scrollTo(0, y), top);
      await stage.settled();
      const covered = await page.evaluate(() => {
        const newest = document.querySelector(".newest");
        return [...document.querySelectorAll(".log button, .log input, .question-count")].flatMap((e) => {
          const { x, y, width, height } = e.getBoundingClientRect();
          const at = document.elementFromPoint(x + width / 2, y + height / 2);
          const frame = document.querySelector(".log")?.getBoundingClientRect();
          const isInSight = height > 0 && frame !== undefined && y > frame.top && y + height < frame.bottom;
          return isInSight && at !== null && newest?.contains(at) ? [e.textContent] : [];
        });
      });
      assert.deepEqual(covered, [], `scrolled to ${top}`);
    }
    await page.getByRole("log").evaluate((log) => log.scrollTo(0, 0));
    await stage.settled();
    const [bar, log] = [await page.locator(".newest").boundingBox(), await page.getByRole("log").boundingBox()];
    assert.ok(bar && log && bar.y >= log.y + log.height - 1, "it stands below the log");
  });

  deed(
    "of ten thousand items the newest are in the page, earlier ones on demand and in place",
    [long(10_000)],
    async (stage) => {
      const { page } = stage;
      assert.ok((await page.locator(".rows > *").count()) <= 100);
      assert.equal(await far(stage), 0);
      const first = page.locator(".rows > *").first();
      const text = await first.textContent();
      await page.getByRole("log").evaluate((log) => log.scrollTo(0, 60));
      await page.locator(".rows > *").nth(150).waitFor({ state: "attached" });
      const same = page
        .locator(".rows > *")
        .filter({ hasText: text ?? "" })
        .first();
      assert.equal(await same.textContent(), text);
      assert.equal(await page.getByText("Question 2499", { exact: true }).count(), 1, "the newest are still there");
    },
  );

  deed("a long turn does not fill the page without end", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"));
    for (let i = 0; i < 900; i += 100) {
      const some = Array.from({ length: 100 }, (_, k) => [
        t.start(`c${i + k}`, "read_file", `Read ${i + k}`, "read", {}),
        t.done(`c${i + k}`, "x"),
      ]);
      await stage.tell(...some.flat());
    }
    assert.ok((await stage.page.locator(".rows > *").count()) <= 400);
    await stage.page.getByText("Read 899").waitFor();
  });
}

function testTurns(deed: Deed): void {
  deed("a turn that broke can be tried again, with what to do", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), ...t.end("error", { cause: "the key was refused", hint: "set another key" }));
    await stage.page.getByText("set another key").waitFor();
    await stage.page.getByRole("button", { name: "Set a key…" }).click();
    await stage.page.getByRole("button", { name: "Try again" }).click();
    assert.equal((await stage.said("continue")).length, 1);
    assert.equal((await stage.said("setKey")).length, 1);
    await stage.tell(t.event("turn/started", { turnId: "t2", continues: "t1", prompt: [] }));
    assert.equal(await stage.page.getByRole("button", { name: "Try again" }).isVisible(), false);
    await stage.page.getByRole("separator", { name: "Continued" }).waitFor();
  });

  deed(
    "the last prompt is edited and sent again in place; the old turn is folded away",
    [snapshot(), ...answered()],
    async (stage) => {
      const { page } = stage;
      const edit = page.getByRole("button", { name: "Edit and send again" });
      await edit.click();
      await page.keyboard.press("Escape");
      assert.equal(await edit.evaluate((e) => e === document.activeElement), true);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("Say hello");
      await page.keyboard.press("Enter");
      assert.deepEqual(await stage.said("resend"), [{ kind: "resend", turnId: "t1", text: "Say hello", mentions: [] }]);
      const t = new Told();
      for (let i = 0; i < 50; i++) t.say("");
      await stage.tell(
        t.event("turn/started", { turnId: "t2", replaces: "t1", prompt: [{ type: "text", text: "Say hello" }] }),
      );
      assert.equal(await page.getByText("What was wrong").isVisible(), false);
      await page.getByText(/^Replaced by the prompt below/).click();
      await page.getByText("What was wrong").waitFor();
    },
  );

  deed("steering text that was not read comes back into the prompt", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), { kind: "queued", content: [{ type: "text", text: "and then stop" }] });
    await stage.page.getByText("the model reads it with its next step").waitFor();
    await stage.tell(
      t.event("turn/completed", {
        turnId: "t1",
        stopReason: "endTurn",
        usage: { inputTokens: 1, outputTokens: 1 },
        returned: [{ type: "text", text: "and then stop" }],
      }),
    );
    assert.equal(await stage.page.locator(".queued").count(), 0);
    await stage.page.getByRole("button", { name: "Put it into the prompt" }).click();
    assert.equal(await stage.page.getByRole("textbox", { name: "Prompt" }).inputValue(), "and then stop");
  });

  for (const [help, label] of [
    ["install", "How to install"],
    ["settings", "Open settings"],
    ["settingsFile", "Open the settings file"],
    ["log", "Show log"],
    ["restart", "Start again"],
  ] as const) {
    deed(
      `a bridge that cannot start says why and helps: ${help}`,
      [snapshot({ conversation: null, connection: { kind: "failed", why: "It ended at once.", help } })],
      async (stage) => {
        await stage.page.getByText("It ended at once.").waitFor();
        await stage.page.getByRole("button", { name: label }).click();
        assert.equal((await stage.said("help"))[0]?.what, help);
        assert.equal(await stage.page.getByRole("button", { name: "Send", exact: true }).isDisabled(), true);
      },
    );
  }

  deed(
    "an untrusted workspace says so, and trouble stays until it is dismissed",
    [snapshot({ trusted: false }), { kind: "trouble", text: "It went wrong", hint: "do this" }],
    async (stage) => {
      await stage.page.getByRole("button", { name: "Trust…" }).click();
      assert.equal((await stage.said("help"))[0]?.what, "trust");
      const trouble = stage.page.getByRole("alert");
      await trouble.getByText("It went wrong — do this").waitFor();
      await trouble.getByRole("button", { name: "Dismiss" }).click();
      await stage.settled();
      assert.equal(await trouble.isVisible(), false);
    },
  );
}

function testReturned(deed: Deed): void {
  const text = "and stop at six";
  const back = (t: Told): ToView =>
    t.event("turn/completed", {
      turnId: "t1",
      stopReason: "cancelled",
      usage: { inputTokens: 1, outputTokens: 1 },
      returned: [{ type: "text", text }],
    });
  const link = (stage: Stage) => stage.page.getByRole("button", { name: "Put it into the prompt" });
  const prompt = (stage: Stage): Promise<string> => stage.page.getByRole("textbox", { name: "Prompt" }).inputValue();

  deed("text that came back is never in the prompt twice", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), back(t), { kind: "draft", text });
    assert.equal(await prompt(stage), text);
    assert.equal(await link(stage).isVisible(), false, "it is there already");
    await stage.tell({ kind: "draft", text });
    assert.equal(await prompt(stage), text);
    await stage.page.getByRole("textbox", { name: "Prompt" }).press("Enter");
    await stage.settled();
    assert.equal(await link(stage).isVisible(), false, "it was sent");
  });

  deed("the link that puts it there goes once it did, and when something else was said", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"), back(t));
    await link(stage).click();
    assert.equal(await prompt(stage), text);
    assert.equal(await link(stage).isVisible(), false);
    await stage.tell(snapshot({ conversation: null }), snapshot());
    const again = new Told();
    await stage.tell(...again.prompt("x"), back(again), ...again.prompt("y", "t2"));
    assert.equal(await link(stage).isVisible(), false);
  });
}

function testWaiting(deed: Deed): void {
  deed("why something is tried again can be read", [snapshot()], async (stage) => {
    const t = new Told();
    const detail = "the service is overloaded and asked for a pause of at least twenty seconds";
    await stage.tell(
      ...t.prompt("x"),
      t.event("state/changed", { state: "retry", since: Date.now(), detail, attempt: 2, max: 5 }),
    );
    const line = stage.page.locator(".strip-text").last();
    assert.equal(await line.getAttribute("title"), `Trying again (2 of 5): ${detail}`);
    assert.ok(await line.evaluate((e) => e.scrollHeight <= e.clientHeight + 1), "nothing is cut");
  });

  deed("a command shows what it said last while it runs", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(
      ...t.prompt("x"),
      t.start("c1", "exec_command", "read name", "execute", {}),
      t.event("terminal/opened", { terminalId: "x1", callId: "c1", title: "read", cwd: "/w", cols: 80, rows: 24 }),
      { kind: "lastLine", sessionId: "s1", terminalId: "x1", text: "Who are you?" },
    );
    await stage.page.getByText("Who are you?").waitFor();
    await stage.tell(t.event("terminal/closed", { terminalId: "x1", exit: { code: 0 } }), t.done("c1", "done"));
    assert.equal(await stage.page.getByText("Who are you?").count(), 0);
  });

  deed("questions are numbered from top to bottom, and a card that waits has no clock", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(
      ...t.prompt("x"),
      ...["1", "2", "3"].map((id) => t.start(`c${id}`, "exec_command", `make ${id}`, "execute", {})),
      ...["3", "1", "2"].map((id): ToView => ({ kind: "asked", approval: commandQuestion(id, `make ${id}`) })),
    );
    assert.deepEqual(await stage.page.locator(".question-count").allTextContents(), ["1 of 3", "2 of 3", "3 of 3"]);
    assert.deepEqual(await stage.page.locator(".call-time").allTextContents(), ["", "", ""]);
    assert.deepEqual(await stage.page.locator(".call-state").allTextContents(), Array(3).fill("Waiting for you"));
    await stage.page.getByRole("button", { name: "Review" }).click();
    assert.equal(await stage.keyboard(), "make 1");
  });

  deed("a bridge that dies in a turn is not told by the end of an older turn", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt("x"));
    await stage.tell(...t.end("interrupted", { cause: "the window was closed" }));
    const spoken = stage.page.getByRole("status");
    assert.match((await spoken.textContent()) ?? "", /the window was closed/);
    await stage.tell(...t.prompt("y", "t2"));
    const cut = newConversation(session);
    for (const m of [...new Told().prompt("x")]) if (m.kind === "event") reduce(cut, m.method, m.params);
    cutOff(cut);
    cut.items.push({ kind: "end", key: "i1", turnId: "t1", stopReason: "interrupted", cause: "the window was closed" });
    await stage.tell(snapshot({ conversation: cut, connection: { kind: "restarting", inMs: 1000, why: "killed" } }));
    assert.equal(await spoken.textContent(), "Drawbridge ended and is started again");
  });
}

function testSafety(deed: Deed): void {
  const evil = [
    '<script>window.evil = 1</script><img src=x onerror="window.evil = 1">',
    "![pixel](https://evil.test/p.png)",
    "[a](javascript:window.evil=1)",
    "[b](data:text/html,<script>1</script>)",
    '<iframe src="https://evil.test"></iframe>',
    "[c](vscode:extension/x) [d](command:workbench.action.quit)",
    '```html"><img src=https://evil.test>\n<b onclick="window.evil=1">x</b>\n```',
    '<a href="https://evil.test" onclick="window.evil=1">e</a>',
    "<style>body{display:none}</style>",
  ].join("\n\n");

  deed("an answer can run, load and hide nothing", [snapshot()], async (stage) => {
    const t = new Told();
    await stage.tell(...t.prompt(evil), t.event("thought/chunk", { text: evil }), t.say(evil));
    const message = stage.page.locator(".message");
    assert.equal(await message.locator("script, img, iframe, style, object, form, input").count(), 0);
    const hrefs = await message.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    assert.equal(hrefs[0], "https://evil.test/p.png", "a picture is a link");
    assert.deepEqual(
      hrefs.filter((href) => !href?.startsWith("https://")),
      [],
    );
    const handlers = await stage.page
      .locator("*")
      .evaluateAll((all) => all.flatMap((e) => e.getAttributeNames().filter((name) => name.startsWith("on"))));
    assert.deepEqual(handlers, []);
    assert.equal(await stage.page.evaluate(() => (window as unknown as { evil?: number }).evil), undefined);
    assert.equal(await message.isVisible(), true);
  });
}

function empty(of: typeof session) {
  return {
    session: of,
    items: [],
    state: { state: "idle" as const, since: 0, detail: "" },
    approvals: [],
    changes: {},
    stood: {},
    terminals: {},
    subagents: {},
    lastSeq: 0,
  };
}
