/** Which files a person means by a few letters. */

export interface Candidate {
  /** Relative to its folder, with slashes. */
  readonly path: string;
}

/** The best matches first; without a query the order stays. */
export function rank<C extends Candidate>(query: string, candidates: readonly C[], limit: number): C[] {
  const wanted = query.trim().toLowerCase().replaceAll("\\", "/");
  if (wanted === "") return candidates.slice(0, limit);
  const scored: { c: C; score: number; at: number }[] = [];
  candidates.forEach((c, at) => {
    const score = match(wanted, c.path);
    if (score > 0) scored.push({ c, score, at });
  });
  scored.sort((a, b) => b.score - a.score || a.c.path.length - b.c.path.length || a.at - b.at);
  return scored.slice(0, limit).map((s) => s.c);
}

/**
 * Above 0 when the letters occur in order. A match in the file's name counts
 * more than one in its folders, letters in a row and at the beginnings of words
 * more than scattered ones.
 */
export function match(wanted: string, path: string): number {
  const lower = path.toLowerCase();
  const name = lower.lastIndexOf("/") + 1;
  if (!wanted.includes("/")) {
    const inName = run(wanted, path, lower, name);
    if (inName > 0) return inName + nameBonus + (lower.startsWith(wanted, name) ? prefixBonus : 0);
  }
  return run(wanted, path, lower, 0);
}

const nameBonus = 100;
const prefixBonus = 50;

/** Tries each place where the first letter occurs; the best counts. */
function run(wanted: string, path: string, lower: string, from: number): number {
  let best = 0;
  for (let start = lower.indexOf(wanted[0] ?? "", from); start >= 0; start = lower.indexOf(wanted[0] ?? "", start + 1)) {
    best = Math.max(best, runFrom(wanted, path, lower, start));
  }
  return best;
}

function runFrom(wanted: string, path: string, lower: string, start: number): number {
  let score = 0;
  let at = start - 1;
  for (const letter of wanted) {
    const found = lower.indexOf(letter, at + 1);
    if (found < 0) return 0;
    if (found === at + 1 && found > start) score += 6;
    score += beginsWord(path, found) ? 5 : 1;
    at = found;
  }
  return score;
}

function beginsWord(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path[at - 1] ?? "";
  if (/[/_.\-\s]/.test(before)) return true;
  const here = path[at] ?? "";
  return here !== here.toLowerCase() && before === before.toLowerCase();
}
