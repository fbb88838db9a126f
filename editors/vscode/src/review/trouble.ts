/** Nothing that fails in the review is lost in the editor's log: it is said once, with what to do. */
import { toBridgeError } from "../bridge/link.ts";
import { tell as say } from "../say.ts";

/** Runs what a person asked for and says what went wrong, if it did. */
export async function told(action: string, f: () => Promise<void> | void): Promise<void> {
  try {
    await f();
  } catch (thrown) {
    tell(action, thrown);
  }
}

export function tell(action: string, thrown: unknown): void {
  const { message, hint } = toBridgeError(thrown);
  say("error", `Drawbridge could not ${action}: ${message}${hint ? `. ${hint}` : ""}`);
}
