/** The parts of the conversation view that need no page. What needs one is in test/webview-harness. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hunkLines, place, totals, withContext } from "../../src/webview/difflines.ts";
import { highlight } from "../../src/webview/highlight.ts";
import { placeOf } from "../../src/webview/links.ts";
import { blocks, safeLink } from "../../src/webview/markdown.ts";
import { attachments, complete, mentionLabel, queryAt, sameMention, takeApart } from "../../src/webview/mention.ts";
import { tokens } from "../../src/model/models.ts";
import { rowsOf } from "../../src/webview/rows.ts";
import {
  ago,
  callState,
  callTime,
  changeWord,
  count,
  decisionLine,
  duration,
  elapsed,
  endLine,
  fileName,
  shortPath,
  stateLine,
  whyLine,
} from "../../src/webview/words.ts";
import type { CallItem, Conversation, Item } from "../../src/model/conversation.ts";
import type { Mention } from "../../src/conversation/messages.ts";
import type { Hunk } from "../../src/protocol.gen.ts";

const html = (source: string): string =>
  blocks(source, {})
    .map((block) => block.html)
    .join("");

test("raw HTML of a model is text", () => {
  for (const evil of [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick=x>b</b>",
    "<!-- x -->",
    "<svg/onload=x>",
  ]) {
    const made = html(evil);
    assert.doesNotMatch(made, /<(?!\/?p>)/, evil);
    assert.match(made, /&lt;/, evil);
  }
});

test("links lead to the web, to mail and into the workspace, and nowhere else", () => {
  for (const href of [
    "https://go.dev",
    "HTTP://go.dev",
    "mailto:a@b.c",
    "src/a.go",
    "./a.go#L3",
    "/abs/a.go",
    "file:///a.go",
    "#top",
  ]) {
    assert.equal(safeLink(href), true, href);
  }
  for (const href of [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    " javascript:x",
    "\u0001javascript:x",
    "data:text/html,x",
    "vscode:x",
    "command:x",
    "blob:x",
    "vbscript:x",
  ]) {
    assert.equal(safeLink(href), false, href);
  }
  assert.doesNotMatch(html("[x](javascript:alert(1))"), /href/);
  assert.doesNotMatch(html("[x](&#106;avascript:alert(1))"), /href/);
  assert.doesNotMatch(html("<javascript:alert(1)>"), /href/);
});

test("a picture is a link: nothing is loaded", () => {
  assert.equal(
    html('![a "cat"](https://e.test/c.png?a&b)'),
    '<p><a href="https://e.test/c.png?a&amp;b">a &quot;cat&quot;</a></p>\n',
  );
  assert.doesNotMatch(html("![x](data:image/png;base64,AAAA)"), /<img|href/);
  assert.match(html("![](https://e.test/c.png)"), />picture</);
});

test("names of files are not taken for addresses", () => {
  assert.doesNotMatch(html("see main.py and lib.rs and a@b.c"), /href/);
  assert.match(html("see https://go.dev/x."), /href="https:\/\/go\.dev\/x"/);
});

test("code keeps its text, says its language and cannot break out", () => {
  const made = html('```go {a=1}\nvar a = "<b>"\n```');
  assert.match(made, /<span class="code-language">go<\/span>/);
  assert.match(made, /&lt;b&gt;/);
  const odd = html('```"><img src=x>\n</code></pre><script>x</script>\n```');
  assert.doesNotMatch(odd, /<img|<script/);
  assert.equal(highlight("x", "no such language"), null);
  assert.equal(highlight("a".repeat(100_000), "go"), null, "too long to colour while it streams");
});

test("the blocks of an answer begin where they stand, and are firm when their line is whole", () => {
  const source = "one\n\n- a\n- b\n\n```\nx\n```\nlast";
  assert.deepEqual(
    blocks(source, {}).map(({ start, firm }) => [source.slice(start, start + 3), firm]),
    [
      ["one", true],
      ["- a", true],
      ["```", true],
      ["las", false],
    ],
  );
});

test("cut at any block that is firm, the rest renders the same", () => {
  const source = "# T\n\npara **b**\n\n1. a\n\n   more\n2. b\n\n> q\n\n```js\nx\n```\n\n| a |\n|---|\n| 1 |\n\nend\n";
  const whole = html(source);
  for (const { start, firm } of blocks(source, {})) {
    if (firm) assert.equal(html(source.slice(0, start)) + html(source.slice(start)), whole, `cut at ${start}`);
  }
});

test("the lines of a hunk have numbers, and say what changed within them", () => {
  assert.deepEqual(hunkLines(hunk(4, "say Helo now\n", "say Hello now\n")), [
    { kind: "removed", text: "say Helo now", oldLine: 5, changed: [7, 7] },
    { kind: "added", text: "say Hello now", newLine: 5, changed: [7, 8] },
  ]);
  assert.deepEqual(hunkLines(hunk(0, "", "a\r\nb")), [
    { kind: "added", text: "a", newLine: 1 },
    { kind: "added", text: "b", newLine: 2 },
  ]);
  assert.equal(hunkLines(hunk(0, "abcdefgh\n", "12345678\n"))[0]?.changed, undefined, "nothing in common");
  assert.equal(hunkLines(hunk(0, "a\nb\n", "a\n"))[0]?.changed, undefined, "no pairs");
});

test("a hunk stands among the unchanged lines of its diff, none of them twice", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,7 +1,8 @@\n one\n-two\n+2\n+2b\n three\n four\n-five\n+5\n six\n seven\n";
  const first = hunk(1, "two\n", "2\n2b\n");
  const second = { ...hunk(4, "five\n", "5\n"), newRange: range(5, 1) };
  const text = (lines: readonly { kind: string; text: string }[]): string =>
    lines.map((l) => `${l.kind[0] ?? ""}${l.text}`).join(" ");
  const shown = withContext([first, second], diff);
  assert.equal(text(shown[0] ?? []), "sone rtwo a2 a2b sthree sfour");
  assert.equal(text(shown[1] ?? []), "rfive a5 ssix sseven");
  assert.deepEqual(
    shown[1]?.map((l) => l.newLine ?? null),
    [null, 6, 7, 8],
  );
});

test("an insertion stands before the line it pushes down", () => {
  const diff = "@@ -1,2 +1,3 @@\n one\n+new\n two\n";
  assert.deepEqual(
    withContext([hunk(1, "", "new\n")], diff)[0]?.map((l) => l.text),
    ["one", "new", "two"],
  );
});

test("where a hunk is, in words", () => {
  assert.equal(place(hunk(4, "a\n", "b\n")), "Line 5");
  assert.equal(place(hunk(4, "a\n", "b\nc\nd\n")), "Lines 5–7");
  assert.equal(place(hunk(4, "a\nb\n", "")), "Lines 5–6");
  assert.deepEqual(totals([hunk(0, "a\n", "b\nc"), hunk(5, "", "x\n")]), { added: 3, removed: 1 });
});

test("times read as people say them", () => {
  assert.deepEqual([0, 12, 999, 1000, 9949, 9951, 59_600, 61_000, 3_599_600, 3_660_000, -5].map(duration), [
    "0 ms",
    "12 ms",
    "999 ms",
    "1.0 s",
    "9.9 s",
    "10 s",
    "1 min 00 s",
    "1 min 01 s",
    "1 h 00 min",
    "1 h 01 min",
    "0 ms",
  ]);
  assert.deepEqual([-2000, 999, 59_999, 60_000].map(elapsed), ["0 s", "0 s", "59 s", "1 min 00 s"]);
  const now = Date.UTC(2026, 0, 10);
  assert.deepEqual(
    [10_000, 120_000, 7_200_000, 100_000_000, 300_000_000, 900_000_000].map((past) => ago(now - past, now)),
    ["just now", "2 min ago", "2 h ago", "yesterday", "3 days ago", "2025-12-30"],
  );
});

test("numbers read as people say them", () => {
  assert.deepEqual([0, 999, 1000, 12_400, 99_949, 99_950, 200_000, 999_499, 999_500, 1_250_000].map(tokens), [
    "0",
    "999",
    "1k",
    "12.4k",
    "99.9k",
    "100k",
    "200k",
    "999k",
    "1M",
    "1.3M",
  ]);
  assert.deepEqual([count(1, "hunk"), count(2, "hunk"), count(1200, "item")], ["1 hunk", "2 hunks", "1,200 items"]);
});

test("what goes on and how things ended, in a line", () => {
  assert.equal(
    stateLine({ state: "retry", since: 0, detail: "overloaded", attempt: 2, max: 5 }, 0),
    "Trying again (2 of 5): overloaded",
  );
  assert.equal(stateLine({ state: "approval", since: 0, detail: "" }, 3), "3 questions wait for you");
  assert.equal(stateLine({ state: "tool", since: 0, detail: "go test" }, 0), "Running go test");
  assert.equal(endLine("error", "no key"), "no key");
  assert.equal(endLine("maxSteps", "100 steps"), "The turn reached its limit: 100 steps");
  assert.equal(
    decisionLine(call({ decision: { outcome: "allowed", by: "person", cause: "mode always-ask" } })),
    "Allowed by you",
  );
  assert.equal(
    decisionLine(call({ decision: { outcome: "denied", by: "rule", cause: "no rm" } })),
    "Denied by a rule: no rm",
  );
  const denied = 'Tool call denied by user.\ndeclined by the user: "not "now""';
  assert.equal(
    decisionLine(call({ text: denied, decision: { outcome: "denied", by: "person" } })),
    'Denied by you: “not "now"”',
  );
  assert.equal(
    decisionLine(call({ text: "declined by the user", decision: { outcome: "denied", by: "person" } })),
    "Denied by you",
  );
  assert.equal(
    callState(call({ status: "aborted", decision: { outcome: "denied", by: "rule" } }), false).word,
    "Denied",
  );
  const history = call({ status: "aborted", text: denied });
  assert.deepEqual(
    [decisionLine(history), whyLine(history), callState(history, false).word],
    ['Denied by you: “not "now"”', "", "Denied"],
  );
  const ruled = call({ status: "aborted", text: "Tool call denied by user.\ndenied by a rule: rm (built in)", ruled: "denied by the rule rm (built in)" });
  assert.deepEqual([decisionLine(ruled), whyLine(ruled), callState(ruled, false).word], ["Denied by the rule rm (built in)", "", "Denied"]);
  const { ruled: _, ...older } = ruled;
  assert.deepEqual([decisionLine(older), whyLine(older), callState(older, false).word], ["", "denied by a rule: rm (built in)", "Denied"]);
  const cancelled = call({ status: "aborted", text: "Tool call denied by user.\ncancelled: the turn ended before an answer came" });
  assert.equal(callState(cancelled, false).word, "Stopped");
  assert.equal(decisionLine(call({ ruled: "allowed by the rule go test (config.yaml:3)" })), "Allowed by the rule go test (config.yaml:3)");
  const remembered = { scope: "session", rule: "go test" } as const;
  assert.equal(decisionLine(call({ decision: { outcome: "allowed", by: "person", remembered } })), "Allowed by you · Remembered for this session: go test");
  assert.equal(whyLine(call({ status: "failed", text: "no such file\nmore" })), "no such file");
  assert.equal(
    whyLine(call({ status: "aborted", text: "The call did not run.\nthe turn was cancelled" })),
    "the turn was cancelled",
  );
  assert.equal(whyLine(call({ text: "fine" })), "");
  assert.equal(callState(call({ status: "running" }), true).word, "Waiting for you");
});

test("a changed command is said so, and a change that a person edited", () => {
  assert.equal(
    decisionLine(call({ retitled: true, decision: { outcome: "allowed", by: "person" } })),
    "Allowed by you · You changed the command",
  );
  assert.equal(decisionLine(call({ retitled: true })), "You changed the command");
  assert.equal(changeWord({ state: "partly", edited: true }), "Applied, edited by you");
  assert.equal(changeWord({ state: "partly" }), "Partly applied");
  assert.equal(changeWord({ state: "reverted", edited: true }), "Taken back");
});

test("the time of a call is without that in which it waited for a person", () => {
  assert.equal(callTime(call({ durationMs: 61_200, waitedMs: 60_000 }), 0), "1.2 s");
  assert.equal(callTime(call({ status: "running", startedAt: 1000, waitedMs: 4000 }), 8000), "3 s");
  assert.equal(callTime(call({ status: "running", startedAt: 1000, asksSince: 2000 }), 8000), "");
  assert.equal(callTime(call({ status: "running" }), 8000), "", "of history the beginning is not known");
});

test("paths of the workspace are short, others whole", () => {
  assert.equal(shortPath("file:///home/ada/greet/src/a%20b.go", "/home/ada/greet"), "src/a b.go");
  assert.equal(shortPath("file:///home/ada/greeting/a.go", "/home/ada/greet"), "/home/ada/greeting/a.go");
  assert.equal(fileName("vscode-remote://ssh+host/home/a.go"), "a.go");
  assert.equal(fileName("untitled:Untitled-1"), "Untitled-1");
  assert.equal(fileName("file:///100%.md"), "100%.md");
});

test("links of an answer lead to places in the workspace", () => {
  assert.equal(placeOf("https://go.dev", "/w"), null);
  assert.equal(placeOf("#part", "/w"), null);
  assert.deepEqual(placeOf("src/a.go#L12", "/w x"), { uri: "file:///w%20x/src/a.go", line: 11 });
  assert.deepEqual(placeOf("./src/../a.go:7:3", "/w"), { uri: "file:///w/a.go", line: 6 });
  assert.deepEqual(placeOf("file:///b.go#L1-L9", "/w"), { uri: "file:///b.go", line: 0 });
  assert.deepEqual(placeOf("/abs/a.go", "/w"), { uri: "file:///abs/a.go" });
});

test("a mention begins with an @ that begins a word, and ends at the caret", () => {
  const at = (text: string): string | undefined => {
    const caret = text.indexOf("|");
    return queryAt(text.replace("|", ""), caret)?.text;
  };
  assert.deepEqual(["@|", "see @src/a|", "(@a|", "line\n@b|", "@ünï|"].map(at), ["", "src/a", "a", "b", "ünï"]);
  assert.deepEqual(["|@a", "me@host|", "@a |", "@a@b|", "no|"].map(at), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a chosen file takes the place of what was typed", () => {
  const done = (text: string): string => {
    const caret = text.indexOf("|");
    const query = queryAt(text.replace("|", ""), caret);
    assert.ok(query);
    const { text: made, caret: to } = complete(text.replace("|", ""), query, "src/a.go");
    return `${made.slice(0, to)}|${made.slice(to)}`;
  };
  assert.equal(done("see @a|"), "see @src/a.go |");
  assert.equal(done("see @a| now"), "see @src/a.go |now");
  assert.equal(done("@a|bc and"), "@src/a.go |and");
});

test("the same thing is mentioned once, and a selection says its lines", () => {
  const uri = "file:///w/a.go";
  const block = { type: "selection", uri, range: range(2, 2) } as const;
  const one: Mention = { kind: "selection", uri, name: "a.go", startLine: 3, endLine: 4, block };
  assert.equal(sameMention(one, { ...one }), true);
  assert.equal(sameMention(one, { ...one, endLine: 5 }), false);
  assert.equal(sameMention(one, { kind: "file", uri, name: "a.go" }), false);
  assert.equal(mentionLabel(one), "a.go:3–4");
  assert.equal(mentionLabel({ ...one, endLine: 3 }), "a.go:3");
});

test("a prompt comes apart into the text and the mentions it was sent with", () => {
  const selection = { type: "selection", uri: "file:///w/a.go", range: range(2, 2) } as const;
  const blocks = [
    { type: "text", text: "mend" } as const,
    selection,
    { type: "resourceLink", uri: "file:///w/b.go", name: "b.go" } as const,
  ];
  assert.deepEqual(takeApart(blocks), {
    text: "mend",
    mentions: [
      { kind: "selection", uri: "file:///w/a.go", name: "a.go", startLine: 3, endLine: 4, block: selection },
      { kind: "file", uri: "file:///w/b.go", name: "b.go" },
    ],
  });
  assert.deepEqual(
    attachments([...blocks, { type: "image", mimeType: "image/png", data: "" }]).map(({ label }) => label),
    ["a.go:3–4", "b.go", "picture: png"],
  );
});

test("turns that were sent again are folded, one row for each try", () => {
  const items: Item[] = [
    prompt("t1"),
    call({ turnId: "t1" }),
    end("t1"),
    prompt("t2"),
    { kind: "notice", key: "n", text: "Continued" },
    prompt("t3"),
    end("t3"),
  ];
  const rows = rowsOf({ ...conversation(items), replaced: { t1: "t2", t2: "t3" } });
  assert.deepEqual(
    rows.map((row) => (row.kind === "replaced" ? row.items.map((item) => item.kind) : row.kind)),
    [["prompt", "call", "end"], ["prompt", "notice"], "prompt"],
  );
});

test("an end without news is no row, and a question without its call is one", () => {
  const c = conversation([prompt("t1"), call({ callId: "c1" }), end("t1")]);
  assert.deepEqual(
    rowsOf(c).map((row) => row.kind),
    ["prompt", "call"],
  );
  c.approvals = ["c1", "c9"].map((callId) => ({
    approvalId: `a-${callId}`,
    callId,
    sessionId: "s1",
    turnId: "t1",
    title: "x",
    reason: "",
    access: "read",
    digest: "",
    since: 1,
    derivation: [],
    options: [],
  }));
  c.queued = [[{ type: "text", text: "and" }]];
  assert.deepEqual(
    rowsOf(c).map((row) => row.key),
    ["p-t1", "c1", "queued-0", "a-c9"],
  );
});

function range(line: number, lines: number): Hunk["oldRange"] {
  return { start: { line, character: 0 }, end: { line: line + lines, character: 0 } };
}

function hunk(line: number, oldText: string, newText: string): Hunk {
  const lines = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);
  return {
    hunkId: `h${line}`,
    oldRange: range(line, lines(oldText)),
    newRange: range(line, lines(newText)),
    oldText,
    newText,
    header: "",
  };
}

function prompt(turnId: string): Item {
  return { kind: "prompt", key: `p-${turnId}`, turnId, blocks: [] };
}

function end(turnId: string): Item {
  return { kind: "end", key: `e-${turnId}`, turnId, stopReason: "endTurn" };
}

function call(more: Partial<CallItem>): CallItem {
  return {
    kind: "call",
    key: more.callId ?? "c1",
    turnId: "t1",
    callId: "c1",
    name: "x",
    title: "X",
    access: "read",
    status: "completed",
    text: "",
    ...more,
  };
}

function conversation(items: Item[]): Conversation {
  return {
    session: {
      sessionId: "s1",
      title: "",
      cwd: "/w",
      roots: ["/w"],
      model: "",
      mode: "always-ask",
      preset: "workspace-write",
      profile: "default",
      createdAt: 0,
      updatedAt: 0,
      state: "idle",
    },
    items,
    state: { state: "idle", since: 0, detail: "" },
    approvals: [],
    changes: {},
    stood: {},
    terminals: {},
    subagents: {},
    lastSeq: 0,
  };
}
