import { ApiStatusError, ConnectionError, TimeoutError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { Resampler } from "./sample-runner.js";

const context = { signal: new AbortController().signal, attemptFailed: () => {} };
const status = (code: number, retryable = false) =>
  new ApiStatusError(`${code}`, { code: "server_error", retryable, status: code, body: {}, attempts: 1 });

/** A resampler on a clock whose sleeps pass at once. */
function resampler(options: { readonly random?: number; readonly detectStuck?: boolean } = {}) {
  const sleeps: number[] = [];
  let nowMs = 0;
  const made = new Resampler({
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: async (ms) => {
        sleeps.push(ms);
        nowMs += ms;
      },
    },
    random: () => options.random ?? 0.5,
    detectStuck: options.detectStuck ?? true,
  });
  return { made, sleeps, wait: (ms: number) => (nowMs += ms) };
}

/** Makes a sample as often as the resampler wants it, as a sampler does. */
async function sampled(made: Resampler, attempt: () => Promise<string>): Promise<string> {
  made.began();
  let failures: Awaited<ReturnType<Resampler["pauseAfter"]>> | undefined;
  for (;;) {
    try {
      const sample = await attempt();
      made.succeeded();
      return sample;
    } catch (error) {
      failures = await made.pauseAfter(error, failures, context);
    }
  }
}

/** Fails with `errors` in turn, then succeeds. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return "sample";
  };
}

describe("Resampler", () => {
  it("transport 33: makes a sample again after 0.5 s, then ever later up to 10 s", async () => {
    const { made, sleeps } = resampler();
    const gone = Array.from({ length: 7 }, () => status(410));
    expect(await sampled(made, failing(...gone))).toBe("sample");
    expect(sleeps).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it.each([
    [0, [375, 750]],
    [1, [625, 1250]],
  ])("transport 33: spreads the waits by a quarter (random %d)", async (random, expected) => {
    const { made, sleeps } = resampler({ random });
    await sampled(made, failing(status(410), status(410)));
    expect(sleeps).toEqual(expected);
  });

  it.each([
    ["a broken connection", new ConnectionError("reset", { attempts: 3 })],
    ["a time limit", new TimeoutError("slow", { timeoutMs: 1 })],
    ["an error the service says will pass", status(503, true)],
  ])("makes a sample again after %s", async (_name, error) => {
    expect(await sampled(resampler().made, failing(error))).toBe("sample");
  });

  it.each([
    ["a refusal", status(422)],
    ["an account that cannot pay", status(402, true)],
    ["bad input", new ValidationError("bad")],
    ["an error that is not ours", new Error("bug")],
  ])("does not after %s", async (_name, error) => {
    await expect(sampled(resampler().made, failing(error))).rejects.toBe(error);
  });

  it("transport 36: gives up when no sample of the client has made progress for two hours", async () => {
    const stuck = Array.from({ length: 2000 }, () => status(410));
    const { made, sleeps } = resampler();
    await expect(sampled(made, failing(...stuck))).rejects.toThrow(/no sample has made progress for 720\d s/);
    expect(sleeps.length).toBeGreaterThan(700);
    const patient = resampler({ detectStuck: false });
    expect(await sampled(patient.made, failing(...stuck))).toBe("sample");
  });

  it("transport 36: counts the progress of other samples, and not the time without any", async () => {
    const { made, wait } = resampler();
    wait(10_000_000);
    expect(await sampled(made, failing(status(410)))).toBe("sample");
  });
});
