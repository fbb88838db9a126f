/** The connection to the bridge as the rest of the extension sees it. It knows neither the editor nor the process. */
import type { Connection } from "../conversation/messages.ts";
import type { Disposable } from "../model/listeners.ts";
import type { EventName } from "../model/conversation.ts";
import type { ErrorKind, NotificationsToBridge, NotificationsToEditor, RequestsToBridge } from "../protocol.gen.ts";

export type { Disposable } from "../model/listeners.ts";

export interface Link {
  readonly connection: Connection;
  /** Rejects with a BridgeError, also when there is no bridge to ask. */
  request<M extends keyof RequestsToBridge>(
    method: M, params: RequestsToBridge[M]["params"],
  ): Promise<RequestsToBridge[M]["result"]>;
  /** Does nothing while there is no bridge. */
  notify<M extends keyof NotificationsToBridge>(method: M, params: NotificationsToBridge[M]["params"]): void;
  /** Every notification of the bridge, in the order it was sent. */
  onEvent(f: (method: EventName, params: NotificationsToEditor[EventName]["params"]) => void): Disposable;
  onConnection(f: (connection: Connection) => void): Disposable;
}

/** What went wrong in words for a person; the hint says what to do. */
export class BridgeError extends Error {
  override readonly name = "BridgeError";
  readonly kind: ErrorKind | "disconnected" | undefined;
  readonly hint: string | undefined;

  constructor(message: string, kind?: ErrorKind | "disconnected", hint?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

/** Makes a BridgeError of whatever a request was rejected with. */
export function toBridgeError(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const { code, data } = (thrown ?? {}) as { code?: unknown; data?: unknown };
  if (typeof code === "number" && code >= lost.from && code <= lost.to) {
    return new BridgeError("the bridge ended before it answered", "disconnected");
  }
  if (typeof data !== "object" || data === null) return new BridgeError(message);
  const { kind, hint } = data as { kind?: ErrorKind; hint?: string };
  return new BridgeError(message, kind, hint);
}

/** Codes of the JSON-RPC library for requests whose connection is gone: never sent, or never answered. */
const lost = { from: -32_099, to: -32_096 } as const;
