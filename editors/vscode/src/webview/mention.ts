/** Mentions of files while they are typed. */
import type { Mention } from "../conversation/messages.ts";
import type { Block } from "../protocol.gen.ts";
import { fileName } from "./words.ts";

export interface Query {
  /** Where the @ stands. */
  readonly start: number;
  /** The caret. */
  readonly end: number;
  readonly text: string;
}

/** What is typed after an @ that begins a word, up to the caret; null when no mention is being typed there. */
export function queryAt(text: string, caret: number): Query | null {
  const found = /(?:^|[\s([{"'`,;])@([^\s@]*)$/u.exec(text.slice(0, caret));
  if (!found) return null;
  const typed = found[1] ?? "";
  return { start: caret - typed.length - 1, end: caret, text: typed };
}

/** The text with the query replaced by the mention, and where the caret goes. */
export function complete(text: string, query: Query, path: string): { text: string; caret: number } {
  const rest = text.slice(query.end).replace(/^[^\s@]*/u, ""); // the word goes on behind the caret
  const word = `@${path}`;
  const gap = /^\s/u.test(rest) ? "" : " ";
  return { text: text.slice(0, query.start) + word + gap + rest, caret: query.start + word.length + 1 };
}

/** The same thing is mentioned once. */
export function sameMention(a: Mention, b: Mention): boolean {
  if (a.kind === "selection" && b.kind === "selection") {
    return a.uri === b.uri && a.startLine === b.startLine && a.endLine === b.endLine;
  }
  return a.kind === b.kind && a.uri === b.uri;
}

export function mentionLabel(mention: Mention): string {
  if (mention.kind === "file") return mention.name;
  const { startLine, endLine } = mention;
  return `${mention.name}:${startLine === endLine ? startLine : `${startLine}–${endLine}`}`;
}

/** A prompt as it was sent, taken apart again for editing. Pictures and whole documents stay out: they have no chip. */
export function takeApart(blocks: readonly Block[]): { text: string; mentions: Mention[] } {
  const text: string[] = [];
  const mentions: Mention[] = [];
  for (const block of blocks) {
    if (block.type === "text") text.push(block.text);
    else if (block.type === "resourceLink") mentions.push({ kind: "file", uri: block.uri, name: block.name });
    else if (block.type === "selection") {
      const { start, end } = block.range;
      const endLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
      mentions.push({
        kind: "selection",
        uri: block.uri,
        name: fileName(block.uri),
        startLine: start.line + 1,
        endLine,
        block,
      });
    }
  }
  return { text: text.join("\n"), mentions };
}

/** What goes along with a prompt, in words: one for each block that is not text. */
export function attachments(blocks: readonly Block[]): { label: string; uri?: string; line?: number }[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "text":
        return [];
      case "image":
        return [{ label: block.mimeType.replace("image/", "picture: ") }];
      case "resourceLink":
        return [{ label: block.name, uri: block.uri }];
      case "selection":
        return takeApart([block]).mentions.map((m) => ({
          label: mentionLabel(m),
          uri: m.uri,
          line: block.range.start.line,
        }));
      case "resource":
        return [{ label: fileName(block.uri), uri: block.uri }];
      case "diagnostics":
        return [{ label: `problems of ${fileName(block.uri)}`, uri: block.uri }];
    }
  });
}

export function promptText(blocks: readonly Block[]): string {
  return takeApart(blocks).text;
}
