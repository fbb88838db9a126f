/** The sets of tools that a model can be given, in a person's words. */
import type { Preset, Profile } from "../protocol.gen.ts";

interface ProfileWords {
  readonly label: string;
  readonly detail: string;
  /** The limits that it begins with, where a person has set none. */
  readonly preset: Preset;
}

export const profileWords: { readonly [P in Profile]: ProfileWords } = {
  default: { label: "Default tools", detail: "Commands that can be typed into, files, subagents and pictures.", preset: "workspace-write" },
  compact: { label: "Compact tools", detail: "read, bash, edit and write. Begins read-only.", preset: "read-only" },
  agent_toolset_20260401: {
    label: "Agent toolset", detail: "bash, read, write, edit, glob and grep. The shell keeps its state between calls.", preset: "workspace-write",
  },
};

/** A bridge may know a set that this side does not. */
export function profileWordsOf(profile: string): ProfileWords {
  const known: { readonly [profile: string]: ProfileWords | undefined } = profileWords;
  return (Object.hasOwn(profileWords, profile) ? known[profile] : undefined) ?? { label: profile, detail: "", preset: "read-only" };
}

/** "Compact tools (compact)", as the settings call it. */
export function profileName(profile: Profile): string {
  return `${profileWordsOf(profile).label} (${profile})`;
}
