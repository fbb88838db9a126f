/**
 * Which model the settings name. A workspace may name one, for those who trust
 * it; but never a script, which would let a repository say what the agent does.
 */
export interface ModelSetting {
  /** What the person set for all workspaces. */
  readonly own: string;
  /** What the workspace sets. */
  readonly workspace: string;
  readonly trusted: boolean;
}

export function chosenModel({ own, workspace, trusted }: ModelSetting): string {
  const theirs = workspace.trim();
  const counts = trusted && theirs !== "" && !/^script\s*:/i.test(theirs);
  return counts ? theirs : own.trim();
}
