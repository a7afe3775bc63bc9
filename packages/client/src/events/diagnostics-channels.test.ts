import diagnostics from "node:diagnostics_channel";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { channelsOf, loadModule, traced } from "./diagnostics-channels.js";
import { EventHub } from "./event-hub.js";

describe("the diagnostics channels", () => {
  it("are those of Node", () => {
    expect(loadModule(process)).toBe(diagnostics);
    expect(channelsOf(diagnostics)?.operation.plain).toBe(diagnostics.channel("tinkex:operation"));
  });

  it.each([
    ["no process", undefined],
    ["a process without getBuiltinModule", {}],
    ["a runtime that lacks the module", { getBuiltinModule: () => undefined }],
    [
      "a runtime that refuses the name",
      {
        getBuiltinModule: (): undefined => {
          throw new Error("unknown module");
        },
      },
    ],
  ])("are absent on a runtime with %s, and readers hear all the same", (_, runtime) => {
    const channels = channelsOf(loadModule(runtime as never));
    expect(channels).toBeUndefined();
    const hub = new EventHub({ clock: new FakeClock(), clientId: "c", baseUrl: undefined, channels });
    expect(hub.isHeard("queue")).toBe(false);
    const types: string[] = [];
    const leave = hub.add({ read: ({ type }) => types.push(type), end: () => types.push("end") });
    hub.queueState({ operationId: 1, requestId: "r", requestType: "OptimStep" }, "active", undefined);
    leave();
    hub.queueState({ operationId: 1, requestId: "r", requestType: "OptimStep" }, "paused", undefined);
    expect(types).toEqual(["queue.state"]);
  });
});

describe("a span", () => {
  it("tells of start, end, failure and settling in the order of Node's tracePromise, without the result", async () => {
    const channel = diagnostics.tracingChannel("test:span");
    const heard: string[] = [];
    const on = (name: string) => (message: object) => heard.push(`${name} ${Object.keys(message).join(",")}`);
    channel.subscribe({
      start: on("start"),
      end: on("end"),
      asyncStart: on("asyncStart"),
      asyncEnd: on("asyncEnd"),
      error: on("error"),
    });
    expect(await traced(channel, {}, async () => "secret")).toBe("secret");
    expect(heard.splice(0)).toEqual(["start ", "end ", "asyncStart ", "asyncEnd "]);
    const failure = new Error("no");
    await expect(traced(channel, {}, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(heard).toEqual(["start ", "end ", "error error", "asyncStart error", "asyncEnd error"]);
  });

  it("runs within the stores that are bound to its start", async () => {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    const store = new AsyncLocalStorage<object>();
    const channel = diagnostics.tracingChannel("test:stores");
    channel.start.bindStore(store);
    const message = {};
    const seen = await traced(channel, message, async () => {
      await Promise.resolve();
      return store.getStore();
    });
    channel.start.unbindStore(store);
    expect(seen).toBe(message);
    expect(store.getStore()).toBeUndefined();
  });
});
