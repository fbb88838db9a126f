/** How the view looks in each state, theme and width: screenshots for people, and axe for what a machine can judge. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import {
  answered,
  brought,
  changeQuestion,
  commandQuestion,
  hunk,
  longCommand,
  now,
  session,
  snapshot,
  takenApart,
  tallCommand,
  Told,
  twoQuestions,
  unseenCommand,
} from "./scenes.ts";
import { asksFor, background, ended, escalating, waiting } from "./running.ts";
import { address, asking, inBackground, pictured, working } from "./subagents.ts";
import type { Stage, Theatre } from "./stage.ts";
import type { ToView } from "../../src/conversation/messages.ts";
import { newConversation } from "../../src/model/reduce.ts";
import type { Session } from "../../src/protocol.gen.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Look {
  readonly messages: () => ToView[];
  readonly act?: (stage: Stage) => Promise<void>;
}

const looks: { readonly [name: string]: Look } = {
  empty: {
    messages: () => [
      snapshot({ conversation: null }),
      { kind: "models", models: [], providers: [{ name: "anthropic", ready: false, hint: "set ANTHROPIC_API_KEY" }] },
    ],
  },
  answered: { messages: () => [snapshot(), ...answered()] },
  unfolded: {
    messages: () => [snapshot(), ...answered()],
    act: async ({ page }) => {
      await page.getByRole("button", { name: /go test/ }).click();
      await page.getByText("Reasoning", { exact: true }).click();
    },
  },
  streaming: { messages: streaming },
  questions: {
    messages: () => [snapshot(), ...twoQuestions()],
    act: ({ page }) => page.locator(".log").evaluate((log) => log.scrollTo(0, 150)),
  },
  marked: {
    messages: () => [snapshot({ marks: { g1: { h1: "accept", h2: "reject" } } }), ...twoQuestions()],
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Deny with a reason…" }).last().click();
      await page.locator(".log").evaluate((log) => log.scrollTo(0, 80));
    },
  },
  retry: {
    messages: () => {
      const t = new Told();
      return [
        snapshot({ conversation: { ...newConversation({ ...session, model: "" }), modelNow: "openai:gpt-5-codex" } }),
        ...t.prompt("Fix it"),
        t.start("c1", "exec_command", "./greet.sh", "execute", {}),
        t.event("terminal/opened", { terminalId: "x1", callId: "c1", title: "x", cwd: "/w", cols: 80, rows: 24 }),
        { kind: "lastLine", sessionId: "s1", terminalId: "x1", text: "Who are you?" },
        t.event("state/changed", {
          state: "retry",
          since: Date.now(),
          detail: "openai: the service is overloaded (529) and asked for a pause of 20 seconds",
          attempt: 2,
          max: 5,
        }),
      ];
    },
  },
  editedCommand: {
    messages: () => asked(commandQuestion("1", longCommand, true)),
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Deny with a reason…" }).click();
      await page.getByRole("button", { name: "Edit…" }).click();
    },
  },
  command: { messages: () => asked(commandQuestion("1", longCommand, true)) },
  takenApart: {
    messages: () => asked(takenApart()),
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Edit rule…" }).click();
      await page.getByText("Why am I asked?").click();
    },
  },
  trust: {
    messages: () => [snapshot({ trusts: [brought] }), ...answered()],
    act: ({ page }) => page.getByRole("button", { name: "Review…" }).click(),
  },
  tallCommand: { messages: () => asked(commandQuestion("1", tallCommand)) },
  unseenCommand: { messages: () => asked(commandQuestion("1", unseenCommand, true)) },
  waiting: { messages: () => waiting() },
  background: {
    messages: () => background(),
    act: ({ page }) => page.getByRole("button", { name: /commands run/ }).click(),
  },
  ended: { messages: () => ended(), act: ({ page }) => page.getByText("End of its output").click() },
  escalation: { messages: () => asksFor("npm install --no-audit", escalating) },
  subagent: { messages: () => working() },
  subagentsAsk: { messages: () => asking(), act: ({ page }) => page.locator(".log").evaluate((log) => log.scrollTo(0, 150)) },
  subagentInBackground: {
    messages: () => inBackground(),
    act: ({ page }) => page.getByRole("button", { name: /subagent works/ }).click(),
  },
  pictures: { messages: () => pictured() },
  address: { messages: () => address() },
  profile: { messages: () => [snapshot({ conversation: newConversation({ ...session, profile: "agent_toolset_20260401" }) })] },
  typed: {
    messages: () => asksFor("greet\u0003\n\u001b[A", { sandbox: "bubblewrap", typedInto: "npm init" }, "Type into npm init: greet"),
  },
  bigDiff: { messages: () => asked(bigChange()) },
  failed: {
    messages: () => [
      snapshot({
        connection: {
          kind: "failed",
          why: "No drawbridge program was found in the extension, in the settings or on the PATH.",
          help: "install",
        },
      }),
    ],
  },
  restarting: {
    messages: () => [
      snapshot({ connection: { kind: "restarting", inMs: 4000, why: "The process was killed (SIGKILL)." } }),
      ...answered(),
    ],
  },
  error: { messages: broken },
  untrusted: {
    messages: () => [
      snapshot({ trusted: false }),
      {
        kind: "trouble",
        text: "The session could not be loaded",
        hint: "Another window has it open: close that window first",
      },
    ],
  },
  returned: { messages: returned },
  replaced: { messages: replaced },
  sessions: {
    messages: () => [snapshot(), ...answered()],
    act: async (stage) => {
      await stage.page.getByRole("button", { name: /^Sessions:/ }).click();
      await stage.tell({ kind: "sessions", sessions: sessions(), current: "s1" });
    },
  },
  mentions: {
    messages: () => [
      snapshot({ mentions: [{ kind: "file", uri: "file:///home/ada/greet/README.md", name: "README.md" }] }),
    ],
    act: async (stage) => {
      await stage.page.getByRole("textbox", { name: "Prompt" }).pressSequentially("look at @gre");
      const [asks] = (await stage.said("findFiles")).slice(-1);
      await stage.tell({
        kind: "files",
        request: asks?.request ?? 0,
        files: ["src/greet.go", "src/greet_test.go", "docs/a/long/way/down/to/greetings.md"].map((path) => ({
          uri: `file:///home/ada/greet/${path}`,
          name: path.slice(path.lastIndexOf("/") + 1),
          path,
        })),
      });
    },
  },
  modes: {
    messages: () => [snapshot(), ...answered()],
    act: ({ page }) => page.getByRole("button", { name: /^Mode:/ }).click(),
  },
  models: {
    messages: () => [
      snapshot(),
      {
        kind: "models",
        models: ["claude-sonnet", "claude-haiku"].map((name) => ({
          id: `anthropic:${name}`,
          provider: "anthropic",
          name,
          contextTokens: 200_000,
        })),
        providers: [
          { name: "anthropic", ready: true },
          { name: "openai", ready: false, hint: "set OPENAI_API_KEY" },
        ],
      },
    ],
    act: ({ page }) => page.getByRole("button", { name: /^Model:/ }).click(),
  },
  resend: {
    messages: () => [snapshot(), ...answered()],
    act: ({ page }) => page.getByRole("button", { name: "Edit and send again" }).click(),
  },
};

export function testLooks(theatre: () => Theatre): void {
  for (const [name, look] of Object.entries(looks)) {
    test(`looks: ${name}`, async () => {
      for (const [theme, width, height] of [
        ["dark", 380, 720],
        ["light", 380, 720],
        ["contrast", 380, 720],
        ["dark", 260, 400],
        ["light", 720, 720],
      ] as const) {
        await lookAt(await theatre().stage(theme, width, height), name, look);
      }
    });
  }
}

async function lookAt(stage: Stage, name: string, look: Look): Promise<void> {
  const width = stage.page.viewportSize()?.width;
  try {
    await stage.tell(...look.messages());
    await look.act?.(stage);
    await stage.settled();
    await stage.shot(name);
    assert.deepEqual(stage.faults, [], "errors of the page");
    assert.deepEqual(stage.foreign, [], "requests to elsewhere");
    assert.deepEqual(await tooWide(stage), [], `${stage.theme} ${width}: wider than the view`);
    if (width === 380) assert.deepEqual(await findings(stage), [], `${stage.theme}: axe`);
  } finally {
    await stage.close();
  }
}

/** Serious findings, each with the first elements it is about. */
async function findings(stage: Stage): Promise<string[]> {
  await stage.page.evaluate(axe);
  return stage.page.evaluate(async () => {
    const { violations } = await (
      window as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
          }>;
        };
      }
    ).axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((n) => `${n.target.join(" ")} ${n.failureSummary}`)
            .join("; ")}`,
      );
  });
}

/** Elements that stick out at the side and are not in a box that scrolls or cuts. */
async function tooWide(stage: Stage): Promise<string[]> {
  return stage.page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (e: Element): boolean => e.closest(".diff, pre, .table, .spoken, .call-title") !== null;
    return [...document.body.querySelectorAll("*")]
      .filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e))
      .map((e) => `${e.tagName} ${e.className}`);
  });
}

function streaming(): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Explain the build"),
    t.event("thought/chunk", { text: "Looking…" }),
    t.start("c1", "exec_command", "make -n build", "execute", { command: "make -n build" }),
    t.event("terminal/opened", {
      terminalId: "x1",
      callId: "c1",
      title: "make -n build",
      cwd: "/home/ada/greet",
      cols: 80,
      rows: 24,
    }),
    t.say("The build has two steps. First `go build`:\n\n```sh\ngo build -trimp"),
    { kind: "queued", content: [{ type: "text", text: "and mention the cache" }] },
  ];
}

function asked(approval: ReturnType<typeof commandQuestion>): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Do it"),
    t.start(approval.callId, "x", approval.title, approval.access, {}),
    t.asks(),
    { kind: "asked", approval },
  ];
}

function bigChange(): ReturnType<typeof changeQuestion> {
  const lines = (n: number, word: string): string => Array.from({ length: n }, (_, i) => `${word} ${i}\n`).join("");
  const hunks = Array.from({ length: 40 }, (_, i) => hunk(i + 1, i * 10, `old ${i}\n`, `new ${i}\n`));
  return changeQuestion(
    "1",
    [hunk(0, 0, "", lines(400, "a new line")), ...hunks],
    "",
    "a/rather/long/path/that/has/to/break/somewhere/generated_model_of_everything.go",
  );
}

function broken(): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Fix it"),
    t.say("I will "),
    ...t.end("error", {
      cause: "anthropic: the key was refused (401)",
      hint: "set another key, or choose a model of another provider",
    }),
  ];
}

function returned(): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Count to ten"),
    t.say("One, two"),
    ...t.end("interrupted", { cause: "the bridge was killed" }),
    t.event("turn/started", { turnId: "t2", continues: "t1", prompt: [] }),
    t.event("turn/steered", { turnId: "t2", content: [{ type: "text", text: "count by twos" }] }),
    t.say("Two, four"),
    t.event("turn/completed", {
      turnId: "t2",
      stopReason: "cancelled",
      usage: { inputTokens: 1, outputTokens: 1 },
      returned: [{ type: "text", text: "and stop at six" }],
    }),
  ];
}

function replaced(): ToView[] {
  const t = new Told();
  return [
    snapshot(),
    ...t.prompt("Count to ten"),
    t.say("One, two"),
    ...t.end("cancelled"),
    t.event("turn/started", { turnId: "t2", replaces: "t1", prompt: [{ type: "text", text: "Count to three" }] }),
    t.say("One, two, three."),
    ...t.end("maxTokens", {}, "t2"),
  ];
}

function sessions(): Session[] {
  return [
    { ...session, updatedAt: Date.now() - 60_000 },
    {
      ...session,
      sessionId: "s2",
      title: "A session with a title that is much too long for the narrow list that it stands in",
      state: "approval",
      updatedAt: Date.now() - 3_600_000,
    },
    { ...session, sessionId: "s3", title: "Interrupted one", turnId: "t4", updatedAt: Date.now() - 90_000_000 },
    { ...session, sessionId: "s4", title: "", state: "tool", updatedAt: now },
  ];
}
