/** The rules that a session goes by, as a list: what does not count first, and what can be done about each. */
import { sourceWords, verdictWords } from "../model/verdicts.ts";
import type { Rule, RuleSource } from "../protocol.gen.ts";
import type { Entry } from "../say.ts";

/** What can be done about a rule: what people wrote is opened, what was remembered can be forgotten. */
export type Deed = { readonly kind: "open"; readonly place: Place } | { readonly kind: "forget"; readonly rule: Rule };

export interface Place {
  readonly file: string;
  /** From 0, as the editor counts. */
  readonly line: number;
  readonly column: number;
}

export interface Surroundings {
  readonly home: string;
  readonly cwd: string;
  readonly join: (...parts: string[]) => string;
  readonly isAbsolute: (file: string) => boolean;
}

/** An entry without a deed can only be looked at. */
export function ruleEntries(rules: readonly Rule[], at: Surroundings): Entry<Deed | undefined>[] {
  const broken = rules.filter(({ problem }) => problem !== undefined);
  const sound = rules.filter(({ problem }) => problem === undefined);
  return [...broken, ...sound].map((rule) => {
    const { label, icon } = verdictWords[rule.verdict];
    const where = rule.where === undefined || grants.has(rule.source) ? "" : ` · ${rule.where}`; // where grants are kept is nobody's to edit
    return {
      icon: rule.problem === undefined ? icon : "warning",
      label: rule.rule,
      exact: true,
      description: `${label} · ${sourceWords[rule.source]}${where}`,
      ...(rule.problem !== undefined && { detail: `Does not count: ${rule.problem}` }),
      value: deedOf(rule, at),
    };
  });
}

function deedOf(rule: Rule, at: Surroundings): Deed | undefined {
  if (grants.has(rule.source)) return { kind: "forget", rule };
  const place = rule.where === undefined ? undefined : placeIn(rule.where, at);
  return place && { kind: "open", place };
}

/** Reads FILE:LINE or FILE:LINE:COLUMN; a setting's name is no place. */
export function placeIn(where: string, { home, cwd, join, isAbsolute }: Surroundings): Place | undefined {
  const { file, line, column } = /^(?<file>.+?):(?<line>\d+)(?::(?<column>\d+))?$/.exec(where)?.groups ?? {};
  if (file === undefined || line === undefined) return undefined;
  const whole = file.startsWith("~/") ? join(home, file.slice(2)) : isAbsolute(file) ? file : join(cwd, file);
  return { file: whole, line: Math.max(0, Number(line) - 1), column: Math.max(0, Number(column ?? 1) - 1) };
}

const grants: ReadonlySet<RuleSource> = new Set(["grantUser", "grantWorkspace", "grantSession"]);
