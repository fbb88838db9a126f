/**
 * Answers as HTML. What a model writes is not trusted: raw HTML is shown as
 * text, only harmless links become links, and a picture becomes a link, since
 * loading it would tell its server what was asked. The result goes through the
 * sanitizer as well (sanitize.ts).
 */
import MarkdownIt from "markdown-it";
import type { Env } from "markdown-it";
import { highlight } from "./highlight.ts";

export interface MarkdownBlock {
  readonly html: string;
  /** Where the block begins in the source. */
  readonly start: number;
  /** The line it begins on is complete, so that what comes cannot become part of the block before. */
  readonly firm: boolean;
}

const md = new MarkdownIt({ html: false, linkify: true, breaks: false });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false }); // main.py is no address in Paraguay
md.validateLink = safeLink;
const { renderer } = md;
const { escapeHtml } = md.utils;

/** Web and mail addresses, and places in the workspace. */
export function safeLink(href: string): boolean {
  const scheme = /^[\u0000-\u0020]*([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === "http" || scheme === "https" || scheme === "mailto" || scheme === "file";
}

/**
 * The blocks of a source, such as paragraphs, lists and fences, each rendered
 * by itself. The environment holds the link definitions of the whole answer.
 */
export function blocks(source: string, env: Env): MarkdownBlock[] {
  const tokens = md.parse(source, env);
  const starts = lineStarts(source);
  const found: MarkdownBlock[] = [];
  for (let from = 0; from < tokens.length;) {
    let to = from + 1;
    for (let depth = tokens[from]?.nesting ?? 0; depth > 0 && to < tokens.length; to++)
      depth += tokens[to]?.nesting ?? 0;
    const line = tokens[from]?.map?.[0] ?? 0;
    const next = starts[line + 1];
    found.push({
      html: renderer.render(tokens.slice(from, to), md.options, env),
      start: starts[line] ?? 0,
      firm: next !== undefined,
    });
    from = to;
  }
  return found;
}

renderer.rules["fence"] = (tokens, at) => code(tokens[at]?.content ?? "", tokens[at]?.info ?? "");
renderer.rules["code_block"] = (tokens, at) => code(tokens[at]?.content ?? "", "");
renderer.rules["image"] = (tokens, at, options, env, self) => {
  const token = tokens[at];
  const alt = escapeHtml(self.renderInlineAsText(token?.children ?? [], options, env) || "picture");
  const src = String(token?.attrGet("src") ?? "");
  return safeLink(src) ? `<a href="${escapeHtml(src)}">${alt}</a>` : alt;
};
renderer.rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
renderer.rules["table_close"] = () => "</table></div>\n";

function code(source: string, info: string): string {
  const language = info.trim().split(/[\s{:,]/u, 1)[0] ?? "";
  const text = source.replace(/\n$/u, "");
  const body = highlight(text, language.toLowerCase()) ?? escapeHtml(text);
  const label = language ? `Copy ${escapeHtml(language)} code` : "Copy code";
  return (
    `<div class="code"><div class="code-head"><span class="code-language">${escapeHtml(language || "text")}</span>` +
    `<button type="button" class="button icon copy" title="Copy" aria-label="${label}">` +
    '<span class="codicon codicon-copy" aria-hidden="true"></span></button></div>' +
    `<pre tabindex="0"><code class="hljs">${body}</code></pre></div>\n`
  );
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
