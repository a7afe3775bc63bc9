import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { deferred, TimeoutError, ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { datum } from "../testing/examples.js";
import { openService, pauseForSockets, until } from "../testing/open-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import type { StubService } from "../testing/stub-service.js";
import { ServiceClient } from "./service-client.js";
import type { ServiceClientOptions } from "./service-client-options.js";

/** A clock whose sleeps pass at once. */
const fast = () => new FakeClock({ autoAdvance: true, startMs: 1_800_000_000_000 });

/** Pauses between tries, in milliseconds, of a call that the service answers 503 until it is given up or has had enough. */
async function pausesOf(options: ServiceClientOptions, refusals: number): Promise<number[]> {
  const pauses: number[] = [];
  const hooks = { onRetry: ({ delayMs }: { readonly delayMs: number }) => void pauses.push(delayMs) };
  const { stub, service } = await openService({ clock: fast(), random: () => 0, hooks, ...options });
  stub.script("get_server_capabilities", ...Array.from({ length: refusals }, () => ({ status: 503 })));
  await service.getServerCapabilities().catch(() => {});
  return pauses;
}

describe("retry", () => {
  it("maxRetries limits the repeats of a request; 0 sends once", async () => {
    for (const maxRetries of [0, 1, 3]) {
      const { stub, service } = await openService({ clock: fast(), retry: { maxRetries } });
      stub.on("get_server_capabilities", () => ({ status: 503, body: { detail: "down" } }));
      await expect(service.getServerCapabilities()).rejects.toMatchObject({ status: 503 });
      expect(stub.seen("get_server_capabilities")).toHaveLength(maxRetries + 1);
    }
  });

  it("maxRetries holds too while no server has answered", async () => {
    const { service } = await openService({
      clock: fast(),
      baseUrl: "http://127.0.0.1:9",
      retry: { maxRetries: 4 },
    });
    await expect(service.connect()).rejects.toThrow(/after 5 tries/);
  });

  it("firstDelayMs and maxDelayMs shape the pauses, which double between them", async () => {
    expect(await pausesOf({ retry: { firstDelayMs: 10, maxDelayMs: 50 } }, 5)).toEqual([10, 20, 40, 50, 50]);
    expect(await pausesOf({ retry: { maxDelayMs: 1_500 } }, 3)).toEqual([1_000, 1_500, 1_500]);
  });

  it("jitter is the share of a pause that chance takes off", async () => {
    const random = () => 0.5;
    expect(await pausesOf({ random, retry: { firstDelayMs: 100, jitter: 1 } }, 2)).toEqual([50, 100]);
    expect(await pausesOf({ random, retry: { firstDelayMs: 100, jitter: 0 } }, 2)).toEqual([100, 200]);
  });

  it("budgetMs ends the repeats, and what is undefined leaves the default", async () => {
    const pauses = await pausesOf({ retry: { budgetMs: 2_500, maxRetries: undefined } }, 50);
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(2_500);
    expect(pauses[0]).toBe(1_000);
  });
});

describe("pools", () => {
  it("limit the requests of their kind that are under way, and no others", async () => {
    const { stub, service } = await openService({ pools: { rest: 2 } });
    await service.connect();
    const gate = deferred<void>();
    stub.on("healthz", async () => {
      await gate.promise;
      return { body: { status: "ok" } };
    });
    const calls = Array.from({ length: 5 }, () => service.call("healthz", undefined));
    await until(() => stub.seen("healthz").length === 2, "two requests");
    await pauseForSockets();
    expect(stub.seen("healthz")).toHaveLength(2);
    await service.createLoraTrainingClient({ base_model: "b" });
    gate.resolve();
    await Promise.all(calls);
    expect(stub.seen("healthz")).toHaveLength(5);
  });

  it("limit training requests, which otherwise travel together", async () => {
    const { stub, service } = await openService({ pools: { train: 1, sample: undefined } });
    stub.on("client/config", () => ({ body: { fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: true } }));
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const usual = stub.usual("forward_backward");
    let underWay = 0;
    let most = 0;
    stub.on("forward_backward", async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      return usual(request);
    });
    await training.forwardBackward([datum(1), datum(2), datum(3), datum(4)], "cross_entropy");
    expect([stub.seen("forward_backward").length, most]).toEqual([4, 1]);
  });
});

/** Samples of one client, of `count` asked for together, that the service sees before it has answered any. */
async function samplesAtOnce(count: number, pools: ServiceClientOptions["pools"]): Promise<number> {
  const { stub, service } = await openService({ pools });
  stub.on("client/config", () => ({ body: { sample_max_concurrent_requests: 10_000 } }));
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const gate = deferred<void>();
  const usual = stub.usual("asample");
  stub.on("asample", async (request) => {
    await gate.promise;
    return usual(request);
  });
  const samples = Array.from({ length: count }, () => sampler.sample({ prompt: [1], sampling_params: {} }));
  let seen = -1;
  while (seen !== stub.seen("asample").length || seen === 0) {
    seen = stub.seen("asample").length;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  gate.resolve();
  await Promise.all(samples);
  return seen;
}

describe("the pool of samples", () => {
  it("may be smaller or larger than the usual 400", async () => {
    expect(await samplesAtOnce(20, { sample: 3 })).toBe(3);
    expect(await samplesAtOnce(450, { sample: 430 })).toBe(430);
    expect(await samplesAtOnce(450, { sample: Number.POSITIVE_INFINITY })).toBe(450);
  });
});

describe("timeoutMs", () => {
  it("limits every call that has no limit of its own", async () => {
    const { stub, service } = await openService({ clock: undefined, timeoutMs: 60 });
    stub.on("healthz", () => new Promise(() => {}));
    stub.on("get_server_capabilities", () => new Promise(() => {}));
    await expect(service.call("healthz", undefined)).rejects.toThrow(TimeoutError);
    await expect(service.getServerCapabilities()).rejects.toThrow(
      /^getServerCapabilities .*no result.*limit 60 ms/,
    );
  });

  it("gives way to that of the call, shorter or longer", async () => {
    const { stub, service } = await openService({ clock: undefined, timeoutMs: 20 });
    stub.on("healthz", async () => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      return { body: { status: "ok" } };
    });
    const call = (timeoutMs: number) => service.call("healthz", undefined, { timeoutMs });
    expect(await call(60_000)).toEqual({ status: "ok" });
    expect(await call(Number.POSITIVE_INFINITY)).toEqual({ status: "ok" });
    await expect(call(5)).rejects.toThrow(/limit 5 ms/);
  });
});

describe("headers", () => {
  it("go with every request of the service client, polls and heartbeats included, and win over our own", async () => {
    const { stub, service } = await openService({ headers: { "X-Team": "a", "user-agent": "mine/1" } });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    await training.optimStep();
    expect(stub.requests.length).toBeGreaterThan(6);
    for (const { headers } of stub.requests) {
      expect([headers["x-team"], headers["user-agent"]]).toEqual(["a", "mine/1"]);
    }
  });

  it("of a call go with each of its requests, and win over those of the service client", async () => {
    const { stub, service } = await openService({ headers: { "x-team": "a", "x-run": "1" } });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const before = stub.requests.length;
    await training.forwardBackward([datum(1)], "cross_entropy", { headers: { "X-Team": "b" } });
    const ofTheCall = stub.requests.slice(before);
    expect(ofTheCall.map(({ path }) => path)).toEqual(["forward_backward", "retrieve_future"]);
    for (const { headers } of ofTheCall) expect([headers["x-team"], headers["x-run"]]).toEqual(["b", "1"]);
    await training.optimStep();
    expect(stub.requests.at(-1)?.headers["x-team"]).toBe("a");
    await service.getServerCapabilities({ headers: { "x-run": "2" } });
    expect(stub.seen("get_server_capabilities")[0]?.headers["x-run"]).toBe("2");
    const sampler = await service.createSamplingClient({ base_model: "b" }, { headers: { "x-run": "3" } });
    expect(stub.seen("create_sampling_session")[0]?.headers["x-run"]).toBe("3");
    await sampler.sample({ prompt: [1], sampling_params: {} }, { headers: { "x-run": "4" } });
    expect(stub.seen("asample")[0]?.headers["x-run"]).toBe("4");
    expect(stub.seen("asample")[0]?.headers["x-tinker-sampling-backpressure"]).toBe("1");
  });

  it("that no request may carry, or that belong to one, are refused at the call and cost no sequence id", async () => {
    const { stub, service } = await openService();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    for (const [headers, message] of [
      [{ "a b": "x" }, /^optimStep: the header "a b" has a character that is not allowed/],
      [{ a: "x\r\ny: secret" }, /^optimStep: the header "a" has a character that is not allowed(?!.*secret)/],
      [{ a: 5 }, /^optimStep: the header "a" must be a string, got a number/],
      ["secret", /^optimStep: headers must be an object, e.g. .*, got a string$/],
      [{ "X-Idempotency-Key": "1" }, /^optimStep: headers must not have "X-Idempotency-Key"/],
      [{ "content-type": "text/plain" }, /^optimStep: headers must not have "content-type"/],
    ] as const) {
      expect(() => training.optimStep({}, { headers: headers as never })).toThrow(message);
    }
    await training.optimStep();
    expect(stub.seen("optim_step").map(({ json }) => json?.seq_id)).toEqual([1]);
  });
});

describe("fetch", () => {
  it("carries all requests: those of training, samples, polls and the end of the session", async () => {
    const fetched: string[] = [];
    const counted: typeof fetch = (input, init) => {
      fetched.push(new URL(String(input)).pathname.replace("/api/v1/", ""));
      return fetch(input, init);
    };
    const { stub, service } = await openService({ fetch: counted });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const pass = training.forwardBackward([datum(3)], "cross_entropy");
    expect((await pass).loss_fn_outputs[0]?.logprobs?.data).toEqual(Float32Array.of(-3, -4));
    const sampler = await training.saveWeightsAndGetSamplingClient();
    await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
    await service.close();
    expect(fetched).toEqual(stub.requests.map(({ path }) => path));
    expect(fetched).toContain("sessions/S/finish");
  });

  it("that fails is repeated as any other request", async () => {
    let calls = 0;
    const failing: typeof fetch = (input, init) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new TypeError("fetch failed")) : fetch(input, init);
    };
    const { service } = await openService({ clock: fast(), fetch: failing });
    await service.connect();
    expect(calls).toBeGreaterThan(1);
  });
});

/** A proxy on this machine that tunnels to the stub whatever host is asked for, and keeps whom it was asked for. */
async function proxyTo(stub: StubService): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (head) => {
      asked.push(head.toString("latin1").split("\r\n", 1)[0] ?? "");
      const onward = connect(Number(new URL(stub.url).port), "127.0.0.1");
      sockets.add(onward);
      onward.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

describe("proxy", () => {
  it.each(["a string", "an object", "the environment"])("is used when it is given as %s", async (form) => {
    const { stub } = await openService();
    const { url, asked } = await proxyTo(stub);
    const given = {
      "a string": { proxy: url, env: { HTTP_PROXY: "http://127.0.0.1:9" } },
      "an object": { proxy: { httpProxy: url } },
      "the environment": { env: { HTTP_PROXY: url } },
    }[form];
    const { service } = await openService({ baseUrl: "http://tinker.test", ...given });
    expect(await service.getServerCapabilities()).toEqual({ supported_models: [{ model_name: "m" }] });
    expect(new Set(asked)).toEqual(new Set(["CONNECT tinker.test:80 HTTP/1.1"]));
    await service.close();
  });

  it("of {} is none, whatever the environment says", async () => {
    const { stub } = await openService();
    const { url, asked } = await proxyTo(stub);
    const { service } = await openService({
      clock: fast(),
      baseUrl: "http://tinker.invalid",
      proxy: {},
      env: { HTTP_PROXY: url },
    });
    await expect(service.connect()).rejects.toThrow(/tinker\.invalid/);
    expect(asked).toEqual([]);
  });
});

describe("options that cannot work", () => {
  const base = { baseUrl: "http://127.0.0.1:9", env: {}, logger: new RecordingLogger() };

  it.each([
    [{ retry: { retries: 3 } }, /retry: unknown field "retries"/],
    [{ retry: { maxRetrys: 3 } }, /retry: unknown field "maxRetrys", did you mean "maxRetries"\?/],
    [{ retry: { maxRetries: -1 } }, /retry.maxRetries must be a whole number of 0 or more/],
    [{ retry: { jitter: 2 } }, /retry.jitter must be a share from 0 to 1/],
    [{ pools: { trains: 3 } }, 'ServiceClient: pools: unknown field "trains", did you mean "train"?'],
    [{ pools: { train: 0 } }, "ServiceClient: pools.train must be 1 or more, got 0"],
    [{ pools: { train: "3" } }, 'ServiceClient: pools.train must be 1 or more, got "3"'],
    [{ timeout: 5 }, 'the options of ServiceClient: unknown field "timeout", did you mean "timeoutMs"?'],
    [{ timeoutMs: "5" }, "ServiceClient: timeoutMs must be a number of milliseconds, got a string"],
    [{ timeoutMs: -5 }, /timeoutMs/],
    [{ header: {} }, 'unknown field "header", did you mean "headers"?'],
    [{ headers: { "a b": "x" } }, 'ServiceClient: the header "a b" has a character that is not allowed'],
    [{ headers: { "x-idempotency-key": "x" } }, /headers must not have "x-idempotency-key"/],
    [{ fetch: "fetch" }, "ServiceClient: fetch must be a function such as globalThis.fetch, got a string"],
    [{ fetch, proxy: "http://127.0.0.1:9" }, /a proxy beside a fetch would be ignored/],
    [{ proxy: { https: "http://p" } }, /ServiceClient: proxy: unknown field "https"/],
    [
      { baseUrl: "http://tinker.test", proxy: "ftp://user:secret@p" },
      /proxy's address must start with(?!.*secret)/,
    ],
    [{ tags: "a,b" }, "ServiceClient: tags must be an array of strings, got a string"],
    [{ logger: console.log }, /ServiceClient: logger must be an object/],
    [{ wire: "xml" }, 'ServiceClient: wire must be one of auto, protobuf, json, got "xml"'],
    [{ billing: true }, "ServiceClient: billing must be one of pause, fail, got true"],
    [
      { transport: { call: async () => {}, close: async () => {} }, retry: {}, fetch },
      /^baseUrl, retry, fetch beside a transport would be ignored/,
    ],
  ])("%o is refused before anything is sent", (options, message) => {
    const create = (): unknown => new ServiceClient({ ...base, ...options } as ServiceClientOptions);
    expect(create).toThrow(ValidationError);
    expect(create).toThrow(message);
  });
});

describe("await using", () => {
  it("closes service, training and sampling clients, and ends what they have under way", async () => {
    const { stub, service } = await openService();
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", (request) =>
      request.headers["x-tinker-request-type"] === "OptimStep" ||
      request.headers["x-tinker-request-type"] === "Sample"
        ? new Promise(() => {})
        : usual(request),
    );
    let step: Promise<unknown>;
    let sample: Promise<unknown>;
    {
      await using training = await service.createLoraTrainingClient({ base_model: "b" });
      await using sampler = await service.createSamplingClient({ base_model: "b" });
      step = training.optimStep().catch((error: unknown) => error);
      sample = sampler.sample({ prompt: [1], sampling_params: {} }).catch((error: unknown) => error);
    }
    expect(await step).toMatchObject({ code: "closed" });
    expect(await sample).toMatchObject({ code: "closed" });
    {
      await using inner = new ServiceClient({ baseUrl: stub.url, env: {} });
      await inner.connect();
      await inner[Symbol.asyncDispose]();
    }
    expect(stub.seen("sessions/S/finish")).toHaveLength(1);
  });
});
