/** What a person reads of a text is what it holds: nothing in it is out of sight, in another order, or only looks blank. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { noticeOf } from "../../src/approvals/notices.ts";
import { partsOf } from "../../src/model/gaps.ts";
import { countUnseen, firstLine, headline, linesWord, pieces, visible } from "../../src/model/visible.ts";
import { nameOf } from "../../src/review/words.ts";
import { terminalName } from "../../src/terminals/words.ts";
import { proposal } from "./proposals.ts";

test("characters that turn the order of text are named", () => {
  for (const code of [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]) {
    const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const [, piece] = pieces(`a${String.fromCodePoint(code)}b`);
    assert.equal(piece?.text, `⟨${hex}⟩`);
    assert.match(piece?.kind === "unseen" ? piece.title : "", /changes the order/, hex);
  }
});

test("characters that cannot be seen are named, in prose and in code", () => {
  const unseen = [
    0x00, 0x08, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x2028, 0x2029, 0x2060,
    0x3164, 0xd800, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffc, 0xe0041, 0xe0100,
  ];
  for (const code of unseen) {
    const hex = `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
    for (const rule of ["prose", "code"] as const) assert.equal(visible(`a${String.fromCodePoint(code)}b`, rule), `a${hex}b`, rule);
  }
});

test("the plugin for Neovim names the same characters", () => {
  const lua = readFileSync(new URL("../../../nvim/lua/drawbridge/visible.lua", import.meta.url), "utf8");
  const theirs = [...lua.matchAll(/\{ (0x[0-9A-F]+), (0x[0-9A-F]+) \}/g)].map(([, first, last]) => [Number(first), Number(last)]);
  const ours: number[][] = [];
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (countUnseen(String.fromCodePoint(code), "code") === 0) continue;
    const last = ours.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ours.push([code, code]);
  }
  assert.deepEqual(theirs, ours);
});

test("what can be seen stays as it is", () => {
  const plain = "git commit -m 'naïve — 日本語, привет, 한국어' && echo \"⟨x⟩\" # ❤️ 👩‍🚀 👍🏽\n\tnext line";
  assert.equal(visible(plain), plain);
  assert.equal(visible(plain, "code"), plain);
  assert.equal(countUnseen(plain, "code"), 0);
  assert.equal(visible("one\r\ntwo"), "one\ntwo", "a line end of Windows in prose");
  assert.equal(visible("ls\r\nrm", "code"), "ls⟨U+000D⟩\nrm", "a shell takes it for a part of the word");
});

test("in code, blanks that only look like a space are named; prose uses them", () => {
  for (const blank of ["\u00a0", "\u2003", "\u2800", "\u3000"]) {
    assert.notEqual(visible(`rm${blank}-rf`, "code"), `rm${blank}-rf`);
    assert.equal(visible(`rm${blank}-rf`), `rm${blank}-rf`);
  }
});

test("words from right to left stand by themselves in code, so that those around keep their order", () => {
  assert.deepEqual(pieces("cp שלום مرحبا", "code"), [
    { kind: "plain", text: "cp " },
    { kind: "turned", text: "שלום" },
    { kind: "plain", text: " " },
    { kind: "turned", text: "مرحبا" },
  ]);
  assert.equal(visible("ש\u061cל", "code"), "ש⟨U+061C⟩ל", "nothing is hidden among them");
  assert.deepEqual(pieces("שלום עולם"), [{ kind: "plain", text: "שלום עולם" }]);
});

test("one character many times is named once, with how often", () => {
  const many = `ls${"\u200b".repeat(5000)}\u200d; rm`;
  assert.equal(visible(many, "code"), "ls⟨U+200B ×5,000⟩⟨U+200D⟩; rm");
  assert.equal(countUnseen(many, "code"), 5001);
});

test("a text of many lines in one says that there are more", () => {
  const hiding = `\n  ls${"\n".repeat(300)}rm -rf \u202e~\n`;
  assert.equal(headline(hiding, "code"), "ls … (302 lines)");
  assert.equal(firstLine(hiding), "ls");
  assert.equal(linesWord("make test\n"), "");
  assert.equal(headline("make\u202e test"), "make⟨U+202E⟩ test");
  assert.equal(headline(""), "");
});

test("gaps are told from text, and nothing is lost", () => {
  const kinds = (text: string): string[] => {
    const parts = partsOf(text);
    assert.equal(parts.map((part) => part.text).join(""), text, "the parts are the text");
    return parts.map((part) => (part.kind === "text" ? JSON.stringify(part.text) : `${part.kind}: ${part.words}`));
  };
  assert.deepEqual(kinds(`ls${"\n".repeat(299)}rm -rf ~`), ['"ls\\n"', "gap: … 298 empty lines …", '"\\nrm -rf ~"']);
  assert.deepEqual(kinds(`\n \n\t\nls`), ["gap: … 3 empty lines …", '"\\nls"']);
  assert.deepEqual(kinds(`ls${" ".repeat(2000)}; rm`), ['"ls"', "gap: … 2,000 blanks …", '"; rm"']);
  assert.deepEqual(kinds("a  \nb\t\n\nc\n"), ['"a"', "trailing: 2 blanks at the end of the line", '"\\nb"', "trailing: 1 blank at the end of the line", '"\\n\\nc\\n"']);
  assert.deepEqual(kinds(`cat <<E\n    indented\n\n\nE`), ['"cat <<E\\n    indented\\n\\n\\nE"']);
  for (const text of ["", "\n", "\n\n\n\n", "x\n\n\n", " ", " ".repeat(99), `a${" ".repeat(50)}\n b `]) kinds(text);
});

test("names and messages of the editor name them, too", () => {
  assert.equal(terminalName("make \u202etset"), "make ⟨U+202E⟩tset");
  assert.equal(nameOf("file:///w/%E2%80%AEog.txt"), "⟨U+202E⟩og.txt");
  const { change: _, ...rest } = proposal();
  const command = { text: `ls${"\n".repeat(300)}rm -rf ~`, cwd: "/w", preset: "workspace-write", unconfined: false } as const;
  assert.equal(noticeOf([{ ...rest, access: "execute", title: "ls", command }]).text, "Drawbridge asks: ls … (301 lines)");
});
