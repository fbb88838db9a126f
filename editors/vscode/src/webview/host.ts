/** The way back to the extension, and the little that outlives a hidden view. */
import type { FromView } from "../conversation/messages.ts";

interface Api {
  postMessage(message: FromView): void;
}

declare function acquireVsCodeApi(): Api;

let api: Api | undefined;

export function post(message: FromView): void {
  api ??= acquireVsCodeApi(); // may be asked for once only
  api.postMessage(message);
}
