/** Which program is the bridge, and whether it is one that this extension can talk to. */
import { protocolVersion } from "../protocol.gen.ts";
import type { ServerCapabilities } from "../protocol.gen.ts";

export interface Places {
  /** What the user wrote into the setting; empty: nothing. */
  readonly setting: string;
  /** Where the extension carries its own. */
  readonly bundled: string;
  /** The folders of PATH. */
  readonly path: readonly string[];
  readonly name: string;
  readonly home: string;
  readonly join: (...parts: string[]) => string;
  readonly isAbsolute: (file: string) => boolean;
  readonly runnable: (file: string) => boolean;
  /** It is named absolutely, and no workspace brought it. */
  readonly ofMachine: (file: string) => boolean;
}

export type Choice =
  | { kind: "found"; file: string; from: "setting" | "bundled" | "path" }
  | { kind: "missing"; why: string; help: "install" | "settings" };

/** What the user wrote wins, and is not silently replaced by another when it is wrong. */
export function chooseBinary(p: Places): Choice {
  if (p.setting !== "") {
    const file = p.setting === "~" || p.setting.startsWith("~/") ? p.join(p.home, p.setting.slice(2)) : p.setting;
    if (!p.isAbsolute(file)) {
      return { kind: "missing", help: "settings", why: `The setting drawbridge.path must be an absolute path, and is ${file}.` };
    }
    if (p.runnable(file)) return { kind: "found", file, from: "setting" };
    return { kind: "missing", help: "settings", why: `There is no program at ${file}, which the setting drawbridge.path names.` };
  }
  if (p.runnable(p.bundled)) return { kind: "found", file: p.bundled, from: "bundled" };
  for (const folder of p.path) {
    const file = p.join(folder, p.name);
    if (p.ofMachine(file) && p.runnable(file)) return { kind: "found", file, from: "path" };
  }
  return {
    kind: "missing", help: "install",
    why: "The drawbridge program was not found: this extension carries none for this system, and there is none on PATH.",
  };
}

/** The version in what `drawbridge version` prints; undefined: it is another program. */
export function parseVersion(printed: string): string | undefined {
  return /^drawbridge (\d\S*)\s*$/.exec(printed)?.[1];
}

export type Agreement =
  | { kind: "agreed"; server: ServerCapabilities; note?: string }
  | { kind: "unknown"; why: string };

/** Reads the bridge's part of the answer to initialize. */
export function checkProtocol(experimental: unknown): Agreement {
  const server = (experimental as { drawbridge?: ServerCapabilities } | undefined)?.drawbridge;
  if (!server || !Number.isInteger(server.version) || server.version < 1) {
    return { kind: "unknown", why: "The program answered, but does not speak Drawbridge's protocol." };
  }
  if (server.version > protocolVersion) {
    return {
      kind: "unknown",
      why: `The bridge (${server.serverVersion}) speaks version ${server.version} of the protocol, ` +
        `this extension ${protocolVersion}. Update the extension.`,
    };
  }
  if (server.version < protocolVersion) {
    return {
      kind: "agreed", server,
      note: `The bridge (${server.serverVersion}) speaks version ${server.version} of the protocol, ` +
        `this extension ${protocolVersion}: some things will not work. Update drawbridge.`,
    };
  }
  return { kind: "agreed", server };
}
