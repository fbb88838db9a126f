import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Backoff } from "../../src/bridge/backoff.ts";
import { Bridge, LaunchError } from "../../src/bridge/bridge.ts";
import type { Running } from "../../src/bridge/bridge.ts";
import { toBridgeError } from "../../src/bridge/link.ts";

test("each wait is twice the one before, up to half a minute, and then it is given up", () => {
  const backoff = new Backoff();
  const waits = Array.from({ length: 7 }, () => backoff.next(100));
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, undefined]);
});

test("after a minute of health the count begins anew", () => {
  const backoff = new Backoff();
  backoff.next(100);
  backoff.next(100);
  assert.equal(backoff.next(60_000), 1_000);
  assert.equal(backoff.next(59_999), 2_000);
});

/** A process that ends when it is told to. */
class Fake implements Running {
  readonly ended: Promise<string>;
  readonly asked: string[] = [];
  stopped = false;
  end: (why: string) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => { this.end = resolve; });
  }

  request(method: string): Promise<unknown> {
    this.asked.push(method);
    return Promise.resolve({ of: method });
  }

  notify(): void {}

  stop(): Promise<void> {
    this.stopped = true;
    this.end("stopped");
    return Promise.resolve();
  }
}

function stage(launch?: (n: number) => Running | Error): { bridge: Bridge; processes: Fake[]; said: string[] } {
  const processes: Fake[] = [];
  const said: string[] = [];
  let n = 0;
  const bridge = new Bridge(() => {
    const outcome = launch?.(++n) ?? new Fake();
    if (outcome instanceof Error) return Promise.reject(outcome);
    processes.push(outcome as Fake);
    return Promise.resolve(outcome);
  });
  bridge.onConnection((c) => said.push(c.kind === "restarting" ? `${c.kind} ${c.inMs}` : c.kind));
  return { bridge, processes, said };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a process that ends is replaced after a wait, and requests go to the new one", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { bridge, processes, said } = stage();
    await bridge.restart();
    processes[0]?.end("killed");
    await settled();
    await assert.rejects(bridge.request("session/list", {}), { kind: "disconnected" });
    mock.timers.tick(1_000);
    await settled();
    await bridge.request("session/list", {});
    assert.deepEqual(said, ["starting", "ready", "restarting 1000", "starting", "ready"]);
    assert.deepEqual(processes[1]?.asked, ["session/list"]);
    await bridge.stop();
  } finally {
    mock.timers.reset();
  }
});

test("what cannot be mended by trying again is said at once", async () => {
  const { bridge, said } = stage(() => new LaunchError("no program", "install"));
  await bridge.restart();
  assert.deepEqual(said, ["starting", "failed"]);
  assert.deepEqual(bridge.connection, { kind: "failed", why: "no program", help: "install" });
});

test("a process that never gets ready is tried a few times and then given up, with its reason", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { bridge, said } = stage(() => new Error("exited with code 3"));
    await bridge.restart();
    for (let i = 0; i < 20; i++) {
      mock.timers.tick(30_000);
      await settled();
    }
    assert.equal(said.filter((s) => s === "starting").length, 7);
    assert.equal(bridge.connection.kind, "failed");
    assert.match("why" in bridge.connection ? bridge.connection.why : "", /exited with code 3/);
  } finally {
    mock.timers.reset();
  }
});

test("a person's restart after giving up starts anew, at once", async () => {
  let broken = true;
  const { bridge } = stage(() => (broken ? new LaunchError("broken", "settings") : new Fake()));
  await bridge.restart();
  broken = false;
  await bridge.restart();
  assert.equal(bridge.connection.kind, "ready");
  await bridge.stop();
});

test("a restart ends the process that runs, and its end is not taken for a loss", async () => {
  const { bridge, processes, said } = stage();
  await bridge.restart();
  await bridge.restart();
  await settled();
  assert.equal(processes[0]?.stopped, true);
  assert.equal(processes.length, 2);
  assert.deepEqual(said, ["starting", "ready", "starting", "ready"]);
  await bridge.stop();
});

test("a stopped bridge stays stopped, also when it was about to be started again", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { bridge, processes } = stage();
    await bridge.restart();
    processes[0]?.end("killed");
    await settled();
    await bridge.stop();
    mock.timers.tick(60_000);
    await settled();
    assert.equal(processes.length, 1);
  } finally {
    mock.timers.reset();
  }
});

test("stopping while a process is being launched leaves none behind", async () => {
  let ready: (running: Running) => void = () => undefined;
  const bridge = new Bridge(() => new Promise((resolve) => { ready = resolve; }));
  const starting = bridge.restart();
  await settled();
  const stopping = bridge.stop();
  const late = new Fake();
  ready(late);
  await Promise.all([starting, stopping]);
  assert.equal(late.stopped, true);
});

for (const how of ["restart", "stop"] as const) {
  test(`a ${how} calls off a launch that hangs, and does not wait for it`, async () => {
    let launches = 0;
    const bridge = new Bridge((_, signal) => {
      if (++launches > 1) return Promise.resolve(new Fake());
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("called off"))));
    });
    const starting = bridge.restart();
    await settled();
    await bridge[how]();
    await starting;
    assert.equal(launches, how === "restart" ? 2 : 1);
    assert.equal(bridge.connection.kind, how === "restart" ? "ready" : "starting");
    await bridge.stop();
  });
}

test("an error answer keeps its kind and its hint", () => {
  const fault = toBridgeError(Object.assign(new Error("refused"), { code: -32603, data: { kind: "auth", hint: "set a key" } }));
  assert.deepEqual([fault.message, fault.kind, fault.hint], ["refused", "auth", "set a key"]);
});

test("a request whose answer never came says that the bridge is gone", () => {
  const fault = toBridgeError(Object.assign(new Error("Pending response rejected since connection got disposed"), { code: -32097 }));
  assert.equal(fault.kind, "disconnected");
});
