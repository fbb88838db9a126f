/** Rules, verdicts and what is remembered, as people read them. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import { placeIn, ruleEntries } from "../../src/approvals/rules.ts";
import { trustMessage } from "../../src/approvals/trust-words.ts";
import { inertCode, labelOf } from "../../src/model/inert.ts";
import { segmentsOf } from "../../src/model/spans.ts";
import { Trusts, trustSummary } from "../../src/model/trusts.ts";
import { rememberedBy, rememberedWords, sinceWords } from "../../src/model/verdicts.ts";
import type { ApprovalRequestParams, Rule, TrustRequired } from "../../src/protocol.gen.ts";
import { question } from "./events.ts";

const here = { home: "/home/ada", cwd: "/w", join: posix.join, isAbsolute: posix.isAbsolute };

test("rules that do not count come first, with why; the others stay in their order", () => {
  const rules: Rule[] = [
    { verdict: "deny", rule: "rm", source: "factory" },
    { verdict: "allow", rule: "git diff", source: "user", where: "/home/ada/.config/drawbridge/config.yaml:12:5" },
    { verdict: "ask", rule: "git <", source: "user", where: "~/c.yaml:3", problem: "a wildcard that is not known" },
    { verdict: "allow", rule: "go test", source: "grantWorkspace", where: "/state/grants/f96c:3" },
  ];
  const entries = ruleEntries(rules, here);
  assert.deepEqual(entries.map(({ icon, label, description, detail }) => [icon, label, description, detail]), [
    ["warning", "git <", "Asks · your settings · ~/c.yaml:3", "Does not count: a wildcard that is not known"],
    ["circle-slash", "rm", "Forbidden · built in", undefined],
    ["check", "git diff", "Allowed · your settings · /home/ada/.config/drawbridge/config.yaml:12:5", undefined],
    ["check", "go test", "Allowed · remembered in this workspace", undefined],
  ]);
  assert.deepEqual(entries.map(({ value }) => value), [
    { kind: "open", place: { file: "/home/ada/c.yaml", line: 2, column: 0 } },
    undefined,
    { kind: "open", place: { file: "/home/ada/.config/drawbridge/config.yaml", line: 11, column: 4 } },
    { kind: "forget", rule: rules[3] },
  ]);
});

test("a rule is listed and spoken of to the letter: whole, and with what cannot be seen in it named", () => {
  const rule = `git\u00a0diff ${"x".repeat(300)}\ngo test`;
  const [entry] = ruleEntries([{ verdict: "allow", rule, source: "grantUser" }], here);
  const shown = `git⟨U+00A0⟩diff ${"x".repeat(300)}⏎go test`;
  assert.equal(entry && labelOf(entry), `$(check) ${shown}`);
  assert.equal(inertCode(rule), shown);
  assert.equal(inertCode("echo $(check) [x](command:y)\u00a0"), "echo $\u200b(check) [x]\u200b(command:y)⟨U+00A0⟩");
});

test("a place is a file and a line; the name of a setting is none", () => {
  assert.deepEqual(placeIn(".drawbridge/config.yaml:4", here), { file: "/w/.drawbridge/config.yaml", line: 3, column: 0 });
  assert.equal(placeIn("--allow", here), undefined);
});

test("the innermost part owns a piece of the text, counted in bytes", () => {
  const text = "sudo écho 🌉 && ls";
  const spans = [{ start: 0, end: 15 }, { start: 5, end: 15 }, { start: 19, end: 21 }];
  assert.deepEqual(segmentsOf(text, spans), [
    { text: "sudo ", part: 0 }, { text: "écho 🌉", part: 1 }, { text: " && ", part: undefined }, { text: "ls", part: 2 },
  ]);
});

test("spans that do not fit belong to nothing, and no text is lost", () => {
  const spans = [{ start: 1, end: 99 }, { start: -1, end: 2 }, { start: 3, end: 2 }, { start: 2, end: 4 }];
  assert.deepEqual(segmentsOf("é🌉", spans), [{ text: "é🌉", part: undefined }]); // 4 is within a character
  assert.deepEqual(segmentsOf("", [{ start: 0, end: 0 }]), []);
});

function lasting(): ApprovalRequestParams {
  const asked = question("a1");
  const never = { optionId: "never", kind: "deny", scope: "session", label: "Never", rule: "git diff" } as const;
  return { ...asked, options: [...asked.options, never, { optionId: "w", kind: "allow", scope: "workspace", label: "Allow here", rule: "git diff", editable: true }] };
}

test("only a yes that lasts leaves something behind: the rule as it was sent", () => {
  const pick = (optionId: string, rule?: string) => rememberedBy(lasting(), { outcome: "selected", optionId, ...(rule !== undefined && { rule }) });
  assert.equal(pick("allow"), undefined);
  assert.equal(pick("deny"), undefined);
  assert.equal(pick("never"), undefined);
  assert.equal(rememberedBy(lasting(), { outcome: "dismissed", optionId: "w" }), undefined);
  assert.deepEqual(pick("w"), { scope: "workspace", rule: "git diff" });
  assert.deepEqual(pick("w", "git diff\ngit log"), { scope: "workspace", rule: "git diff\ngit log" });
  assert.equal(rememberedWords({ scope: "workspace", rule: "git diff\ngit log" }), "Remembered in this workspace: git diff, git log");
});

test("a question of another day says which", () => {
  const now = new Date(2026, 4, 3, 12, 0).getTime();
  assert.equal(sinceWords(now - 60_000, now), "since 11:59");
  assert.match(sinceWords(now - 86_400_000, now), /^since 2 May 12:00$/);
});

const brought: TrustRequired = {
  workspace: "/w", digest: "d1", files: [".drawbridge/config.yaml"],
  items: [
    { kind: "hook", what: "before a commit", command: "./hook.sh" },
    { kind: "rule", what: "allow make" },
    { kind: "rule", what: "allow ls" },
    { kind: "environment", what: "CI=1" },
  ],
};

test("what a workspace brings is counted, and its commands are named in the message", () => {
  assert.equal(trustSummary(brought.items), "1 command it would run, 2 rules, 1 environment variable");
  const message = trustMessage(brought);
  assert.match(message, /\.drawbridge\/config\.yaml/);
  assert.match(message, /They would run: \.\/hook\.sh$/);
  assert.match(trustMessage({ ...brought, changed: true }), /have changed/);
});

test("an answer is for exactly what was shown: other content takes its place", () => {
  const trusts = new Trusts();
  const seen: string[][] = [];
  trusts.onChange((waiting) => seen.push(waiting.map(({ digest }) => digest)));
  trusts.announce(brought);
  trusts.announce(brought);
  trusts.announce({ ...brought, digest: "d2", changed: true });
  assert.equal(trusts.get(brought), undefined);
  trusts.settle(brought);
  assert.deepEqual(trusts.waiting.map(({ digest }) => digest), ["d2"]);
  trusts.settle({ workspace: "/w", digest: "d2" });
  trusts.clear();
  assert.deepEqual(seen, [["d1"], ["d2"], []]);
});
