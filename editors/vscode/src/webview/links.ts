/** Where a link of an answer leads when it names a place in the workspace. */

export interface Place {
  readonly uri: string;
  /** From 0. */
  readonly line?: number;
}

/** Null: it is a link of the web, which the editor opens by itself. */
export function placeOf(href: string, cwd: string): Place | null {
  if (/^(?:https?|mailto):/i.test(href) || href.startsWith("#")) return null;
  const found = /^(.*?)(?:#L(\d+).*|:(\d+)(?:[:-]\d+)*)?$/su.exec(href);
  const path = found?.[1] ?? href;
  const number = found?.[2] ?? found?.[3];
  const uri = path.startsWith("file:") ? path : `file://${absolute(path, cwd)}`;
  return number === undefined ? { uri } : { uri, line: Math.max(0, Number(number) - 1) };
}

function absolute(path: string, cwd: string): string {
  if (path.startsWith("/")) return path;
  const folder = cwd.split("/").map(encodeURIComponent).join("/");
  const parts = folder.replace(/\/+$/u, "").split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
