/** What is known of a model, in one line. */
import type { Model, Price } from "../protocol.gen.ts";

/** "200k context · sees pictures · $3 in, $15 out"; "" where nothing is known. */
export function aboutModel({ contextTokens, vision, price }: Pick<Model, "contextTokens" | "vision" | "price">): string {
  return [
    contextTokens === undefined ? "" : `${tokens(contextTokens)} context`,
    vision === undefined ? "" : vision ? "sees pictures" : "text only",
    price ? priceWords(price) : "",
  ].filter(Boolean).join(" · ");
}

/** Without its provider, and without the folders that some names have. */
export function modelName(id: string): string {
  const name = id.slice(id.indexOf(":") + 1);
  return name.slice(name.lastIndexOf("/") + 1) || name;
}

/** In US dollars for a million tokens. */
function priceWords({ input, output }: Price): string {
  return input === 0 && output === 0 ? "free" : `$${money(input)} in, $${money(output)} out per million`;
}

function money(dollars: number): string {
  return dollars.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 99_950) return `${trimZero((n / 1000).toFixed(1))}k`;
  if (n < 999_500) return `${Math.round(n / 1000)}k`;
  return `${trimZero((n / 1_000_000).toFixed(1))}M`;
}

function trimZero(n: string): string {
  return n.endsWith(".0") ? n.slice(0, -2) : n;
}
