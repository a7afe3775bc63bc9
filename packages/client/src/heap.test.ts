import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HeapWork } from "./testing/measure-heap.js";
import { runScript } from "./testing/run-script.js";
import { StubService } from "./testing/stub-service.js";

/** `TINKEX_HEAP=full` does as much as a long run of a program does. */
const isFull = process.env.TINKEX_HEAP === "full";
const WORK: HeapWork = isFull
  ? { samples: 20_000, steps: 5_000, aborts: 20_000, samplers: 1_000 }
  : { samples: 300, steps: 45, aborts: 300, samplers: 45 };
/**
 * Bytes that the heap may be larger by after a third of that. Code is still being compiled in the short form, which shows a future
 * that is kept, of some 5 KB; the long one shows a string.
 */
const MAX_GROWTH_BYTES = 250_000;

/** Limit of the long form, which was cut off at twenty minutes on a busy machine, in milliseconds. */
const MAX_FULL_MS = 3_600_000;

/** Completions of one sampler that no poll has taken note of, and how many it has. */
interface Told {
  readonly open: object[];
  cursor: number;
}

/** Ways of waiting for samples; the long form has both. */
const POLLS: readonly (readonly [string, boolean])[] = [
  ["polls for all samples", true],
  ...(isFull ? ([["a poll for each sample", false]] as const) : []),
];

let stub: StubService;
const samplers = new Map<string, Told>();

function toldTo(sampler: string): Told {
  const told = samplers.get(sampler) ?? { open: [], cursor: 0 };
  samplers.set(sampler, told);
  return told;
}

beforeAll(async () => {
  stub = await StubService.start();
  let made = 0;
  stub.on("create_sampling_session", () => {
    made += 1;
    return { body: { type: "create_sampling_session", sampling_session_id: `S:sample:${made}` } };
  });
  const accept = stub.usual("asample");
  stub.on("asample", async (request) => {
    // Nobody looks at what came: tens of thousands would only take memory.
    stub.requests.length = 0;
    const reply = await accept(request);
    const { request_id } = reply.body as { readonly request_id: string };
    toldTo(String(request.json?.sampling_session_id)).open.push({ state: "finished", request_id });
    return reply;
  });
  stub.on("retrieve_futures", async ({ json }) => {
    await new Promise((resolve) => setTimeout(resolve, json?.timeout === 0 ? 0 : 5));
    const target = json?.target as { readonly sampling_session_id: string } | undefined;
    const told = toldTo(String(target?.sampling_session_id));
    const cursor = Number(json?.prev_cursor);
    told.open.splice(0, cursor - told.cursor);
    told.cursor = cursor;
    return { body: { completions: told.open, cursor: cursor + told.open.length } };
  });
  stub.on("cancel_future", () => ({ body: {} }));
  stub.on("client/dynamic_config", () => ({ body: { sample_cancel_enabled: true } }));
});
afterAll(() => stub.close());

describe("the heap of a program", () => {
  it.each(POLLS)(
    "is as large after samples, steps, aborts and samplers as before, with %s",
    async (_, hasBatchPolls) => {
      stub.on("client/config", () => ({
        body: { sample_use_retrieve_futures: hasBatchPolls, parallel_fwdbwd_chunks: true },
      }));
      const program = new URL("testing/measure-heap.ts", import.meta.url).href;
      const end = await runScript(`
        const { measureHeap } = await import(${JSON.stringify(program)});
        console.log(JSON.stringify(await measureHeap(${JSON.stringify(stub.url)}, ${JSON.stringify(WORK)})));
      `);
      expect(end).toMatchObject({ code: 0, stderr: "" });
      const growth: HeapWork = JSON.parse(end.stdout);
      if (isFull) console.log(hasBatchPolls ? "polls for all:" : "a poll for each:", growth);
      for (const [kind, bytes] of Object.entries(growth)) expect(bytes, kind).toBeLessThan(MAX_GROWTH_BYTES);
    },
    isFull ? MAX_FULL_MS : 120_000,
  );
});
