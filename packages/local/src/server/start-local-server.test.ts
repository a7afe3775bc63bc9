import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { passBody, TestClient } from "../testing/test-client.js";
import type { LocalServerOptions } from "./local-server-options.js";
import { type LocalServer, startLocalServer } from "./start-local-server.js";

const tiny = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};

async function start(
  options: LocalServerOptions = {},
): Promise<LocalServer & { readonly client: TestClient }> {
  const server = await startLocalServer({ models: [tiny], threads: 1, ...options });
  onTestFinished(() => server.close());
  return { ...server, client: new TestClient(server.url, tiny.name) };
}

const sentence = [5, 9, 2, 7, 11, 3, 8, 6];
const learn = { learning_rate: 0.02 };

/** Log-probabilities of `tokens` under the model as it is, by a pass that changes nothing. */
async function logprobsOf(
  client: TestClient,
  modelId: string,
  seqId: number,
  tokens = sentence,
): Promise<number[]> {
  const { forward_backward_input: forward_input, ...rest } = passBody(modelId, seqId, tokens) as Record<
    string,
    unknown
  >;
  const { loss_fn_outputs: outputs } = await client.run("/forward", { ...rest, forward_input });
  const [first] = outputs as { logprobs: { data: number[] } }[];
  return first?.logprobs.data ?? [];
}

function largestGap(a: readonly number[], b: readonly number[]): number {
  expect(a).toHaveLength(b.length);
  return Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));
}

describe("startLocalServer on the real engine", () => {
  it("trains: the loss falls, and sampling agrees with training", { timeout: 60_000 }, async () => {
    const { client } = await start({ seed: 1 });
    const model = await client.createModel(undefined, 0, { lora_config: { rank: 4, seed: 3 } });
    const losses: number[] = [];
    let seq = 1;
    for (let step = 0; step < 8; step++) {
      const { metrics } = await client.run("/forward_backward", passBody(model, seq++, sentence));
      losses.push((metrics as { "loss:sum": number })["loss:sum"]);
      await client.run("/optim_step", { model_id: model, seq_id: seq++, adam_params: learn });
    }
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) * 0.7);
    const trained = await logprobsOf(client, model, seq++);
    const { sampling_session_id } = await client.run("/save_weights_for_sampler", {
      model_id: model,
      sampling_session_seq_id: 0,
      seq_id: seq++,
    });
    const scored = await client.run("/asample", {
      // Position t of a pass scores token t + 1 of a prompt: here each token was its own target.
      prompt: { chunks: [{ tokens: [...sentence, sentence.at(-1)] }] },
      sampling_params: { max_tokens: 1, temperature: 0 },
      sampling_session_id,
      seq_id: 0,
      prompt_logprobs: true,
    });
    const promptLogprobs = scored.prompt_logprobs as (number | null)[];
    expect(promptLogprobs).toHaveLength(sentence.length + 1);
    expect(promptLogprobs[0]).toBeNull();
    expect(promptLogprobs.at(-1)).toBeCloseTo(trained.at(-1) ?? Number.NaN, 4);
  });

  it("scores a prompt as long as the window, and refuses a sample that does not fit behind one", {
    timeout: 60_000,
  }, async () => {
    const { client } = await start();
    // The window of tiny-llama.
    const window = 512;
    const ask = async (seq_id: number, length: number, sampling_params: object, prompt_logprobs: boolean) =>
      client.run("/asample", {
        prompt: { chunks: [{ tokens: Array.from({ length }, (_, index) => 5 + (index % 40)) }] },
        base_model: tiny.name,
        sampling_params,
        prompt_logprobs,
        seq_id,
      });
    const scored = await ask(0, window, { max_tokens: 1 }, true);
    expect(scored.prompt_logprobs).toHaveLength(window);
    expect(scored.sequences).toMatchObject([{ tokens: [], stop_reason: "length" }]);
    expect(await ask(1, window - 4, { max_tokens: 10 }, false)).toMatchObject({
      category: "user",
      error: expect.stringContaining(`must be at most 4, got 10: the prompt has ${window - 4} tokens`),
    });
    const { sequences } = await ask(2, window - 4, { stop: [] }, false);
    expect(sequences).toMatchObject([
      { tokens: expect.objectContaining({ length: 4 }), stop_reason: "length" },
    ]);
  });

  it("a batch in one call, or in four, gives the same step", { timeout: 60_000 }, async () => {
    const { client } = await start();
    const batch = [sentence, sentence.slice(2), [1, 2, 3], [9, 8, 7, 6]];
    const session = await client.createSession();
    const lora_config = { rank: 4, seed: 3 };
    const [whole, split] = [
      await client.createModel(session, 0, { lora_config }),
      await client.createModel(session, 1, { lora_config }),
    ];
    const bodies = batch.map(
      (tokens, index) => passBody(split, index + 1, tokens) as { forward_backward_input: { data: object[] } },
    );
    const data = bodies.flatMap((body) => body.forward_backward_input.data);
    await client.run("/forward_backward", {
      forward_backward_input: { data, loss_fn: "cross_entropy" },
      model_id: whole,
      seq_id: 1,
    });
    for (const body of bodies) await client.run("/forward_backward", body);
    await client.run("/optim_step", { model_id: whole, seq_id: 2, adam_params: learn });
    await client.run("/optim_step", { model_id: split, seq_id: 5, adam_params: learn });
    expect(largestGap(await logprobsOf(client, whole, 3), await logprobsOf(client, split, 6))).toBeLessThan(
      1e-5,
    );
  });

  it("resuming with the optimizer goes on as if nothing had happened, without it does not", {
    timeout: 60_000,
  }, async () => {
    const dataDirectory = temporaryDirectory();
    const first = await start({ dataDirectory });
    const model = await first.client.createModel(undefined, 0, { lora_config: { rank: 4, seed: 3 } });
    let seq = 1;
    const step = async (client: TestClient, modelId: string, at: number) => {
      await client.run("/forward_backward", passBody(modelId, at, sentence));
      await client.run("/optim_step", { model_id: modelId, seq_id: at + 1, adam_params: learn });
    };
    for (; seq <= 9; seq += 2) await step(first.client, model, seq);
    const { path } = await first.client.run("/save_weights", {
      model_id: model,
      path: "five",
      seq_id: seq++,
    });
    await step(first.client, model, seq);
    const goneOn = await logprobsOf(first.client, model, seq + 2);
    await first.close();

    const { client } = await start({ dataDirectory });
    const session_id = await client.createSession();
    const resumed = [];
    for (const [model_seq_id, optimizer] of [true, false].entries()) {
      const body = { session_id, model_seq_id, path, optimizer };
      const { model_id } = await client.run("/load_weights", body);
      await step(client, String(model_id), 1);
      resumed.push(await logprobsOf(client, String(model_id), 3));
    }
    const [withOptimizer = [], weightsOnly = []] = resumed;
    expect(largestGap(withOptimizer, goneOn)).toBeLessThan(1e-6);
    expect(largestGap(weightsOnly, goneOn)).toBeGreaterThan(1e-3);
  });

  const floats = (value: number) => ({
    data: sentence.map(() => value),
    dtype: "float32",
    shape: [sentence.length],
  });
  it.each([
    ["a ratio of e^184", "importance_sampling", { logprobs: floats(-200), advantages: floats(1) }, 0.01],
    ["weights of 3e38", "cross_entropy", { weights: floats(3e38) }, 0.01],
    ["a learning rate of 1e30", "cross_entropy", { weights: floats(1) }, 1e30],
  ])(
    "warns in metrics and log at the step that makes the model NaN, by %s",
    { timeout: 60_000 },
    async (_, loss_fn, inputs, learning_rate) => {
      const warnings: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
      const { client } = await start({ logger });
      const model_id = await client.createModel();
      await client.run("/forward_backward", passBody(model_id, 1, sentence));
      const healthy = await client.run("/optim_step", { model_id, seq_id: 2, adam_params: learn });
      expect(Object.keys(healthy.metrics as object)).not.toContain("weights_diverged:max");
      expect(warnings).toEqual([]);
      const target_tokens = { data: sentence, dtype: "int64", shape: [sentence.length] };
      const data = [
        { model_input: { chunks: [{ tokens: sentence }] }, loss_fn_inputs: { target_tokens, ...inputs } },
      ];
      const step = async (seq_id: number) => {
        await client.run("/forward_backward", {
          model_id,
          seq_id,
          forward_backward_input: { data, loss_fn },
        });
        return client.run("/optim_step", { model_id, seq_id: seq_id + 1, adam_params: { learning_rate } });
      };
      expect(await step(3)).toMatchObject({ metrics: { "weights_diverged:max": 1 } });
      const ofStep = () =>
        warnings.filter((text) => text.startsWith(`optim_step: the weights of model ${model_id}`));
      expect(ofStep()).toHaveLength(1);
      expect(await step(5)).toMatchObject({ metrics: { "weights_diverged:max": 1 } });
      expect(ofStep()).toHaveLength(1);
      expect(warnings.filter((text) => text.startsWith("forward_backward: the loss of model"))).toHaveLength(
        1,
      );
      const sample = { prompt: { chunks: [{ tokens: [5] }] }, sampling_params: { max_tokens: 1 }, seq_id: 0 };
      const { sampling_session_id } = await client.run("/save_weights_for_sampler", {
        model_id,
        sampling_session_seq_id: 0,
        seq_id: 7,
      });
      expect(await client.run("/asample", { ...sample, sampling_session_id })).toMatchObject({
        error: expect.stringContaining("weights have diverged"),
      });
    },
  );

  it("a loss whose advantages are 0 changes nothing", { timeout: 60_000 }, async () => {
    const { client } = await start();
    const model = await client.createModel();
    const before = await logprobsOf(client, model, 1);
    const zeros = { data: sentence.map(() => 0), dtype: "float32" };
    const datum = {
      model_input: { chunks: [{ tokens: sentence }] },
      loss_fn_inputs: {
        target_tokens: { data: sentence, dtype: "int64" },
        logprobs: zeros,
        advantages: zeros,
      },
    };
    const input = { data: [datum], loss_fn: "importance_sampling" };
    await client.run("/forward_backward", { forward_backward_input: input, model_id: model, seq_id: 2 });
    await client.run("/optim_step", { model_id: model, seq_id: 3, adam_params: learn });
    expect(await logprobsOf(client, model, 4)).toEqual(before);
  });

  it("a seed repeats its samples, which differ among themselves", { timeout: 60_000 }, async () => {
    const { client } = await start();
    const sample = async (seed?: number) => {
      const body = {
        base_model: tiny.name,
        prompt: { chunks: [{ tokens: [5, 9] }] },
        num_samples: 4,
        sampling_params: { max_tokens: 8, stop: [], seed },
      };
      const { sequences } = await client.run("/asample", body);
      return (sequences as { tokens: number[] }[]).map(({ tokens }) => tokens.join());
    };
    const seven = await sample(7);
    expect(new Set(seven).size).toBe(4);
    expect(await sample(7)).toEqual(seven);
    expect(await sample(8)).not.toEqual(seven);
    expect(await sample()).not.toEqual(await sample());
  });

  it("a server seed repeats what the server draws itself", { timeout: 60_000 }, async () => {
    const draw = async (seed: number | undefined) => {
      const { client } = await start({ seed });
      const model = await client.createModel();
      await client.run("/forward_backward", passBody(model, 1, sentence));
      await client.run("/optim_step", { model_id: model, seq_id: 2, adam_params: learn });
      return logprobsOf(client, model, 3);
    };
    const [first, again, other] = [await draw(5), await draw(5), await draw(6)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe("options", () => {
  const missing = { name: "none", directory: "/nonexistent" };

  it("tells where it is and what computes, and says so in one line", { timeout: 60_000 }, async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    const server = await start({ logger });
    expect(server).toMatchObject({
      url: `http://127.0.0.1:${server.port}`,
      models: [{ ...tiny, runtime: expect.stringMatching(/native|wasm/), threads: 1, weights: "float32" }],
    });
    expect(lines[0]).toContain("1 threads)");
    expect(lines).toEqual([expect.stringContaining(`Serving ${tiny.name}`)]);
    expect(lines[0]).toContain(server.url);
    expect(lines[0]).toContain(server.dataDirectory);
  });

  it("serves each model with the weights it names, others with the server's, and says so", {
    timeout: 60_000,
  }, async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    const models = [tiny, { ...tiny, name: "tiny/plain", weights: "float32" } as const];
    const server = await start({ logger, models, runtime: "native", weights: "int8" });
    expect(server.models.map(({ name, weights }) => [name, weights])).toEqual([
      [tiny.name, "int8"],
      ["tiny/plain", "float32"],
    ]);
    expect(lines[0]).toContain(
      `${tiny.name} (native, 1 threads, int8 weights), tiny/plain (native, 1 threads)`,
    );
    await server.close();
  });

  it("refuses quantized weights where WebAssembly computes", { timeout: 60_000 }, async () => {
    await expect(start({ runtime: "wasm", weights: "int4" })).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining('weights must be "float32" here, got "int4"'),
    });
  });

  it("keeps a temporary directory only when something was saved in it", { timeout: 60_000 }, async () => {
    const unused = await start();
    expect(existsSync(unused.dataDirectory)).toBe(true);
    await unused.client.createModel();
    await unused.close();
    expect(existsSync(unused.dataDirectory)).toBe(false);
    const used = await start({ dataDirectory: undefined });
    const model = await used.client.createModel();
    await used.client.run("/save_weights", { model_id: model, path: "x", seq_id: 1 });
    await used.close();
    expect(existsSync(used.dataDirectory)).toBe(true);
    await rm(used.dataDirectory, { recursive: true });
  });

  it("names a data directory that cannot be used", async () => {
    const dataDirectory = temporaryDirectory();
    await writeFile(join(dataDirectory, "runs"), "not a folder");
    await expect(start({ dataDirectory, models: [missing] })).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(
        `dataDirectory "${dataDirectory}" cannot be used .*runs must be a directory, got a file.*; name a folder you may write to$`,
      ),
    });
  });

  it.each<[LocalServerOptions, string]>([
    [
      { prot: 8000 } as LocalServerOptions,
      'options of startLocalServer: unknown field "prot", did you mean "port"?',
    ],
    [{ threds: 2 } as LocalServerOptions, 'unknown field "threds", did you mean "threads"?'],
    [{ host: "0.0.0.0" }, 'host "0.0.0.0" can be reached by other machines: set apiKey as well'],
    [{ host: "example.com", apiKey: "tml-k" }, 'host must be an address of this machine, got "example.com"'],
    [{ port: 70_000 }, "port must be a whole number from 0 to 65535, got 70000"],
    [{ apiKey: "" }, 'apiKey must begin with "tml-"'],
    [{ apiKey: "secret" }, 'apiKey must begin with "tml-", as every key'],
    [{ apiKey: "TML-k" }, 'apiKey must begin with "tml-"'],
    [{ models: [] }, "models must not be empty"],
    [{ models: [missing, missing] }, 'models[1].name "none" is there twice'],
    [{ models: [{ ...missing, name: "" }] }, "models[0].name must not be empty"],
    [{ weights: "int2" as "int4" }, 'weights must be one of float32, int8, int4, got "int2"'],
    [
      { models: [{ ...missing, weights: 8 as unknown as "int8" }] },
      "models[0].weights must be one of float32, int8, int4, got 8",
    ],
    [{ seed: Number.NaN }, "seed must be a whole number within ±2^53, got NaN"],
    [{ models: [missing] }, "/nonexistent"],
    [{ models: [{ ...missing, directory: "" }] }, 'models[0].directory must not be empty; write "."'],
    [{ dataDirectory: "" }, 'dataDirectory must not be empty; write "." for the working folder'],
  ])("refuses %j", { timeout: 60_000 }, async (options, message) => {
    await expect(start(options)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining(message),
    });
  });

  // A device, and a file system that answers that a folder to be made is not there; on Windows both are folders like others.
  it.skipIf(process.platform === "win32").each(["/dev/null/x", "/proc/tinkex/x"])(
    "refuses to keep data in %s",
    async (dataDirectory) => {
      await expect(start({ dataDirectory })).rejects.toMatchObject({
        code: "validation_failed",
        message: expect.stringContaining(`dataDirectory "${dataDirectory}" cannot be used`),
      });
    },
  );

  it.each<[LocalServerOptions, string, string]>([
    [{ host: "192.0.2.1", apiKey: "tml-k" }, "host", "EADDRNOTAVAIL"],
    [{ host: "no-such-host.invalid", apiKey: "tml-k" }, "host", "ENOTFOUND|EAI_AGAIN"],
  ])(
    "names the option and keeps the system's error as cause for %j",
    { timeout: 60_000 },
    async (options, option, code) => {
      const failure = await start(options).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "validation_failed",
        path: [option],
        cause: { code: expect.stringMatching(code) },
      });
    },
  );
});
