/** The second wall behind markdown.ts: only known elements and attributes come through, whatever the renderer made. */
import DOMPurify from "dompurify";

const tags = [
  "a",
  "blockquote",
  "br",
  "button",
  "code",
  "del",
  "div",
  "em",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "li",
  "ol",
  "p",
  "pre",
  "s",
  "span",
  "strong",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
];

const attributes = ["aria-hidden", "aria-label", "class", "href", "start", "tabindex", "title", "type"];

export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|file:|[^a-z]|[a-z0-9+.-]+(?:[^a-z0-9+.:-]|$))/i,
    RETURN_DOM_FRAGMENT: true,
  });
}
