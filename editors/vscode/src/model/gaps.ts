/** Where a command holds so much of nothing that what comes behind would be out of sight, or blanks that show nothing. */

export interface Part {
  /** Gap: long, and stands for it until it is unfolded. Trailing: blanks at the end of a line. */
  readonly kind: "text" | "gap" | "trailing";
  readonly text: string;
  /** What is said in the place of a gap, and of trailing blanks beside them. */
  readonly words: string;
}

/** So many empty lines in a row, and so many blanks, are a gap. */
const leastLines = 3;
const leastBlanks = 40;

/** The parts of a text; joined they are the text again. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && isEmpty(lines[end])) end++;
    const isGap = end - at >= leastLines;
    // The last line has no line end behind it.
    const ended = (to: number): string => (to < lines.length ? "\n" : "");
    if (isGap) {
      const words = `… ${(end - at).toLocaleString("en-US")} empty lines …`;
      parts.push({ kind: "gap", text: lines.slice(at, end).join("\n"), words });
      add(parts, ended(end));
      at = end;
      continue;
    }
    for (const to = Math.max(end, at + 1); at < to; at++) {
      addLine(parts, lines[at] ?? "");
      add(parts, ended(at + 1));
    }
  }
  return parts;
}

function addLine(parts: Part[], line: string): void {
  for (const piece of line.match(/[ \t]+|[^ \t]+/gu) ?? []) addPiece(parts, piece);
  const last = parts.at(-1);
  if (last?.kind !== "text" || line === "") return;
  const blanks = /[ \t]+$/u.exec(line)?.[0] ?? "";
  if (blanks === "") return;
  parts.pop();
  add(parts, last.text.slice(0, -blanks.length));
  parts.push({ kind: "trailing", text: blanks, words: `${plural(blanks.length)} at the end of the line` });
}

function addPiece(parts: Part[], piece: string): void {
  const isGap = piece.length >= leastBlanks && piece.trim() === "";
  if (isGap) parts.push({ kind: "gap", text: piece, words: `… ${plural(piece.length)} …` });
  else add(parts, piece);
}

/** Text that follows text is one part. */
function add(parts: Part[], text: string): void {
  const last = parts.at(-1);
  if (text === "") return;
  if (last?.kind === "text") parts[parts.length - 1] = { ...last, text: last.text + text };
  else parts.push({ kind: "text", text, words: "" });
}

function isEmpty(line: string | undefined): boolean {
  return line?.trim() === "";
}

function plural(n: number): string {
  return n === 1 ? "1 blank" : `${n.toLocaleString("en-US")} blanks`;
}
