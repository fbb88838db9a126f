/**
 * Text as it is, whatever it holds: characters that cannot be seen, or that
 * change the order in which others are shown, are named in its place. What a
 * person says yes to must be what they read.
 */

/**
 * Code: it is read in the order in which it runs, and a blank that only looks
 * like a space is named. Prose may be in any script, with the blanks it uses.
 */
export type Rule = "prose" | "code";

export type Piece =
  | { readonly kind: "plain"; readonly text: string }
  /** Stands for characters that were named. */
  | { readonly kind: "unseen"; readonly text: string; readonly title: string }
  /** Letters written from right to left, to be shown so by themselves: around them the order stays. */
  | { readonly kind: "turned"; readonly text: string };

export function pieces(text: string, rule: Rule = "prose"): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") found.push({ kind: "plain", text: plain });
    plain = "";
  };
  let at = 0;
  for (const match of text.matchAll(odd[rule])) {
    const { picture, unseen, turned } = match.groups ?? {};
    plain += text.slice(at, match.index) + (picture ?? "");
    at = match.index + match[0].length;
    if (unseen !== undefined) {
      flush();
      found.push(named(unseen, match[0].length / unseen.length));
    } else if (turned !== undefined) {
      flush();
      found.push({ kind: "turned", text: turned });
    }
  }
  plain += text.slice(at);
  flush();
  return found;
}

/** For places that show nothing but text: names of terminals and tabs, messages, lists. */
export function visible(text: string, rule: Rule = "prose"): string {
  return pieces(text, rule)
    .map((piece) => piece.text)
    .join("");
}

/** How many characters of a text had to be named. */
export function countUnseen(text: string, rule: Rule): number {
  let n = 0;
  for (const { 0: all, groups } of text.matchAll(odd[rule])) {
    if (groups?.["unseen"] !== undefined) n += all.length / groups["unseen"].length;
  }
  return n;
}

/** A text of several lines in one: its first line that says something, and that there are more. */
export function headline(text: string, rule: Rule = "prose"): string {
  const lines = linesWord(text);
  return visible(firstLine(text), rule) + (lines === "" ? "" : ` … (${lines})`);
}

export function firstLine(text: string): string {
  return /[^\n]*[^\s][^\n]*/u.exec(text)?.[0].trim() ?? "";
}

/** "301 lines", or "" when there is but one. */
export function linesWord(text: string): string {
  const lines = text.trimEnd().split("\n").length;
  return lines > 1 ? `${lines.toLocaleString("en-US")} lines` : "";
}

/** A selector and a joiner belong to pictures such as ❤️ and 👩‍🚀, which can be seen. */
const picture = String.raw`(?<picture>\p{ExtPict}\p{EMod}?\uFE0F?(?:\u200D\p{ExtPict}\p{EMod}?\uFE0F?)*)`;
/** An object replacement character stands for something that is not there, and has no look of its own in many fonts. */
const unseen = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\uFFFC`;
const blanks = String.raw`\u2800\p{Zs}`;
const turned = String.raw`(?<turned>(?:(?![${unseen}])[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}])+)`;

const odd: { readonly [R in Rule]: RegExp } = {
  prose: new RegExp(String.raw`${picture}|\r(?=\n)|(?<unseen>(?![\n\t])[${unseen}])\k<unseen>*`, "gu"),
  code: new RegExp(String.raw`${picture}|(?<unseen>(?![\n\t ])[${unseen}${blanks}])\k<unseen>*|${turned}`, "gu"),
};

function named(character: string, times: number): Piece {
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names.get(code) ?? (/\p{Cc}/u.test(character) ? "control character" : "character");
  const why = turning.test(character) ? "changes the order in which text is shown" : "cannot be seen";
  const often = times > 1 ? ` ×${times.toLocaleString("en-US")}` : "";
  return { kind: "unseen", text: `⟨${hex}${often}⟩`, title: `${hex}, ${name}${often}: ${why}` };
}

const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const names: ReadonlyMap<number, string> = new Map([
  [0x00, "null"],
  [0x07, "bell"],
  [0x08, "backspace"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
  [0x7f, "delete"],
  [0xa0, "no-break space"],
  [0xad, "soft hyphen"],
  [0x61c, "Arabic letter mark"],
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "end of embedding or override"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "end of isolate"],
  [0x3000, "ideographic space"],
  [0xfeff, "byte order mark"],
  [0xfffc, "object replacement character"],
]);
