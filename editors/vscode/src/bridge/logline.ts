/** The lines that the bridge writes to its standard error, read for the editor's log. */
export type Level = "debug" | "info" | "warn" | "error";

export interface LogLine {
  readonly level: Level;
  readonly text: string;
}

/** A line of the bridge's own log has time and level; anything else is shown as it is. */
export function parseLogLine(line: string): LogLine {
  const own = /^time=\S+ level=([A-Z]+)\S* (.*)$/.exec(line);
  const level = own?.[1] === undefined ? undefined : levels[own[1]];
  if (!level || own?.[2] === undefined) return { level: "info", text: line };
  return { level, text: own[2] };
}

const levels: { readonly [word: string]: Level } = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" };
