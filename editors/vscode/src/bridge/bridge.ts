/**
 * The bridge keeps one process running and is the link to it. Every loss of the
 * process is answered by a new one, later each time; what cannot be mended by
 * trying again is said at once. How a process is launched it is told.
 */
import { Backoff } from "./backoff.ts";
import { BridgeError, toBridgeError } from "./link.ts";
import type { Link } from "./link.ts";
import type { Connection } from "../conversation/messages.ts";
import type { EventName } from "../model/conversation.ts";
import { Listeners } from "../model/listeners.ts";
import type { Disposable } from "../model/listeners.ts";
import type { NotificationsToBridge, NotificationsToEditor, RequestsToBridge } from "../protocol.gen.ts";

type EventParams = NotificationsToEditor[EventName]["params"];

/** One process that speaks. */
export interface Running {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
  /** Resolves with the reason when it is gone, asked for or not. */
  readonly ended: Promise<string>;
}

/** Rejects with a LaunchError where trying again is of no use. When the signal comes first, nothing is left of it. */
export type Launch = (event: (method: EventName, params: EventParams) => void, signal: AbortSignal) => Promise<Running>;

export class LaunchError extends Error {
  readonly help: Extract<Connection, { kind: "failed" }>["help"];

  constructor(message: string, help: LaunchError["help"]) {
    super(message);
    this.help = help;
  }
}

export class Bridge implements Link {
  readonly #launch: Launch;
  readonly #backoff = new Backoff();
  readonly #events = new Listeners<[EventName, EventParams]>();
  readonly #connections = new Listeners<[Connection]>();
  #connection: Connection = { kind: "starting" };
  #running: Running | undefined;
  /** A launch that is under way. */
  #launching: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Counts what a person or the editor asked for; what belongs to an earlier count is stale. */
  #era = 0;
  #queue: Promise<void> = Promise.resolve();

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Starts a process, after the one that runs has ended. */
  restart(): Promise<void> {
    this.#backoff.reset();
    const era = this.#nextEra();
    this.#say({ kind: "starting" }); // the old one takes nothing any more
    return this.#inTurn(async () => {
      await this.#end();
      if (era === this.#era) await this.#begin(era);
    });
  }

  /** Ends the process for good. */
  stop(): Promise<void> {
    this.#nextEra();
    return this.#inTurn(() => this.#end());
  }

  async request<M extends keyof RequestsToBridge>(
    method: M, params: RequestsToBridge[M]["params"],
  ): Promise<RequestsToBridge[M]["result"]> {
    if (!this.#running) throw new BridgeError("the bridge is not running", "disconnected");
    try {
      return (await this.#running.request(method, params)) as RequestsToBridge[M]["result"];
    } catch (thrown) {
      throw toBridgeError(thrown);
    }
  }

  notify<M extends keyof NotificationsToBridge>(method: M, params: NotificationsToBridge[M]["params"]): void {
    this.#running?.notify(method, params);
  }

  onEvent(f: (method: EventName, params: EventParams) => void): Disposable {
    return this.#events.add(f);
  }

  onConnection(f: (connection: Connection) => void): Disposable {
    return this.#connections.add(f);
  }

  /** A launch that hangs would keep its turn for ever, so it is called off at once. */
  #nextEra(): number {
    this.#launching?.abort();
    return ++this.#era;
  }

  async #begin(era: number): Promise<void> {
    const startedAt = Date.now();
    const launching = (this.#launching = new AbortController());
    try {
      const running = await this.#launch((method, params) => {
        if (era === this.#era) this.#events.fire(method, params);
      }, launching.signal);
      if (era !== this.#era) return await running.stop();
      this.#running = running;
      void running.ended.then((why) => this.#ended(running, why, Date.now() - startedAt));
      this.#say({ kind: "ready" });
    } catch (thrown) {
      if (era !== this.#era) return;
      if (thrown instanceof LaunchError) this.#say({ kind: "failed", why: thrown.message, help: thrown.help });
      else this.#again(era, toBridgeError(thrown).message, Date.now() - startedAt);
    } finally {
      if (this.#launching === launching) this.#launching = undefined;
    }
  }

  #ended(running: Running, why: string, ranMs: number): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    this.#again(this.#era, why, ranMs);
  }

  #again(era: number, why: string, ranMs: number): void {
    const inMs = this.#backoff.next(ranMs);
    if (inMs === undefined) {
      this.#say({ kind: "failed", why: `The bridge keeps ending: ${why}`, help: "log" });
      return;
    }
    this.#say({ kind: "restarting", inMs, why });
    this.#timer = setTimeout(() => {
      void this.#inTurn(async () => {
        if (era !== this.#era) return;
        this.#say({ kind: "starting" });
        await this.#begin(era);
      });
    }, inMs);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }

  /** Starts and ends never overlap: two processes would both own the session. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step, step);
    return this.#queue;
  }

  #say(connection: Connection): void {
    this.#connection = connection;
    this.#connections.fire(connection);
  }
}
