/**
 * Addresses of the documents of a review. The path is the file's, so that an
 * editor finds its language; the query says which change and which side.
 */
import type { Side } from "./hunks.ts";

export const reviewScheme = "drawbridge-review";
export const editScheme = "drawbridge-edit";

export interface ChangeRef {
  readonly sessionId: string;
  readonly changeId: string;
}

/** The parts of an editor's Uri that are used. */
export interface Address {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/**
 * Patch is the change as a unified diff, where its texts are no longer kept.
 * Base is the old text again, beside a draft, where nothing is decided.
 */
export type Shown = Side | "patch" | "base";

export function reviewAddress(ref: ChangeRef, filePath: string, shown: Shown): Address {
  const path = shown === "patch" ? `${filePath}.diff` : filePath;
  return { scheme: reviewScheme, path, query: `${queryOf(ref)}&side=${shown}` };
}

/**
 * A draft belongs to one question: the next one is about another proposal. Its
 * name stands in the query too, which the folders above it share: so they can be
 * told from it.
 */
export function draftAddress(ref: ChangeRef, filePath: string, draft: number): Address {
  return { scheme: editScheme, path: filePath, query: `${queryOf(ref)}&draft=${draft}&name=${encodeURIComponent(lastOf(filePath))}` };
}

/** An address that an editor made of a draft's, to look for the folder that the draft is in. */
export function isAboveDraft(address: Address): boolean {
  const name = new URLSearchParams(address.query).get("name");
  return address.scheme === editScheme && name !== null && name !== lastOf(address.path);
}

export interface ReviewRef extends ChangeRef {
  readonly side: Shown;
}

export function readReviewAddress(address: Address): ReviewRef | undefined {
  if (address.scheme !== reviewScheme) return undefined;
  const ref = readRef(address);
  const side = new URLSearchParams(address.query).get("side");
  const shown = sides.find((s) => s === side);
  return ref && shown && { ...ref, side: shown };
}

/** The change that a document of either scheme is about. */
export function readRef(address: Address): ChangeRef | undefined {
  if (address.scheme !== reviewScheme && address.scheme !== editScheme) return undefined;
  const query = new URLSearchParams(address.query);
  const sessionId = query.get("session");
  const changeId = query.get("change");
  return sessionId && changeId ? { sessionId, changeId } : undefined;
}

const sides: readonly Shown[] = ["old", "new", "patch", "base"];

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function queryOf(ref: ChangeRef): string {
  return `session=${encodeURIComponent(ref.sessionId)}&change=${encodeURIComponent(ref.changeId)}`;
}
