// What training requests and results cost to encode and decode: 128 datums of 512 tokens, against the official Python SDK
// (skipped where `tinker` is not installed; TINKEX_BENCH_PYTHON names the interpreter), JSON, protobuf-es, and a bare copy.
// Python runs before and after, and its better times count: other work on the machine would weigh on one of the two alone.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import type { ForwardBackwardRequest, TensorData } from "@tinkex/types";
import {
  BodyMemory,
  decodeFutureResult,
  encodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
} from "@tinkex/wire";
import { ForwardBackwardOutputSchema, ForwardBackwardRequestSchema } from "@tinkex/wire/proto";
import { leastOf } from "./least-of.mjs";

/** What the benchmark uses of protobuf-es, which belongs to the package alone: it measures the copy the package uses. */
interface ProtobufEs {
  fromBinary(schema: object, bytes: Uint8Array): object;
  toBinary(schema: object, message: object): Uint8Array;
}
const { fromBinary, toBinary } = createRequire(new URL("../packages/wire/package.json", import.meta.url))(
  "@bufbuild/protobuf",
) as ProtobufEs;

const datumCount = 128;
const length = 512;
const turns = 12;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";

/** Numbers that look like the real ones and are the same in every run. */
const datums = Array.from({ length: datumCount }, (_, datum) => {
  const list = (value: (index: number) => number) =>
    Array.from({ length }, (_, index) => value(datum * length + index));
  return {
    tokens: list((index) => (index * 7919) % 151_643),
    target_tokens: list((index) => ((index + 1) * 7919) % 151_643),
    logprobs: list((index) => Math.fround(-(1 + ((index * 31) % 1000)) / 97)),
    advantages: list((index) => Math.fround(((index * 17) % 200) / 100 - 1)),
  };
});

type Make = (key: "target_tokens" | "logprobs" | "advantages", values: readonly number[]) => TensorData;

const fromLists: Make = (key, data) => ({
  data,
  dtype: key === "target_tokens" ? "int64" : "float32",
  shape: [length],
});
const fromArrays: Make = (key, data) =>
  key === "target_tokens"
    ? { data: BigInt64Array.from(data, BigInt), dtype: "int64", shape: [length] }
    : { data: Float32Array.from(data), dtype: "float32", shape: [length] };
/** Targets as most programs have them: 32 bits wide, so that they must be widened. */
const fromNarrow: Make = (key, data) =>
  key === "target_tokens"
    ? { data: Int32Array.from(data), dtype: "int64", shape: [length] }
    : fromArrays(key, data);

function request(make: Make, typedTokens: boolean): ForwardBackwardRequest {
  return {
    model_id: "model",
    seq_id: 1,
    forward_backward_input: {
      loss_fn: "importance_sampling",
      data: datums.map(({ tokens, ...tensors }) => ({
        model_input: { chunks: [{ tokens: typedTokens ? Int32Array.from(tokens) : tokens }] },
        loss_fn_inputs: {
          target_tokens: make("target_tokens", tensors.target_tokens),
          logprobs: make("logprobs", tensors.logprobs),
          advantages: make("advantages", tensors.advantages),
        },
      })),
    },
  };
}

const lists = request(fromLists, false);
const arrays = request(fromArrays, true);
const narrow = request(fromNarrow, true);
const encoding = { wire: "protobuf", generation: "0.38" } as const;
const encode = (input: ForwardBackwardRequest) => encodeForwardBackwardRequest(input, encoding).body;

const memory = new BodyMemory();
/** As the client does it: a body that was delivered leaves its memory to the next one. */
function encodeInTurn(input: ForwardBackwardRequest): Uint8Array {
  const { body } = encodeForwardBackwardRequest(input, { ...encoding, memory });
  memory.giveBack(body);
  return body;
}

const body = encode(lists);
for (const other of [lists, arrays, narrow]) {
  if (Buffer.compare(encode(other), body) !== 0 || Buffer.compare(encodeInTurn(other), body) !== 0)
    throw new Error("lists and typed arrays give different bodies");
}
const message = fromBinary(ForwardBackwardRequestSchema, body);

/** The memory of the arrays in a request, in order: what a bare copy has to move. */
const sources = arrays.forward_backward_input.data.flatMap(({ model_input, loss_fn_inputs }) =>
  [
    ...model_input.chunks.map((chunk) => ("tokens" in chunk ? chunk.tokens : [])),
    ...Object.values(loss_fn_inputs).map(({ data }) => data),
  ].map((array) =>
    ArrayBuffer.isView(array)
      ? new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      : new Uint8Array(0),
  ),
);

const result = encodeForwardBackwardOutput({
  loss_fn_output_type: "ArrayRecord",
  loss_fn_outputs: datums.map(({ logprobs }) => ({ logprobs: fromArrays("logprobs", logprobs) })),
  metrics: { "loss:sum": 1.5 },
});
const answer = { status: 200, headers: { "content-type": result.contentType }, body: result.body };
const resultText = JSON.stringify({
  loss_fn_output_type: "ArrayRecord",
  loss_fn_outputs: datums.map(({ logprobs }) => ({
    logprobs: { data: logprobs, dtype: "float32", shape: [length] },
  })),
  metrics: { "loss:sum": 1.5 },
});

/** The parts of a result that a training loop reads. */
function decode(): number {
  const outcome = decodeFutureResult("ForwardBackwardOutput", answer);
  if (outcome.state !== "complete") throw new Error(`not a result: ${outcome.state}`);
  return outcome.result.loss_fn_outputs.reduce((sum, row) => sum + Number(row.logprobs?.data[0]), 0);
}

const contenders: Readonly<Record<string, () => unknown>> = {
  "encode, lists": () => encodeInTurn(lists),
  "encode, typed arrays": () => encodeInTurn(arrays),
  "encode, typed arrays with int32 targets": () => encodeInTurn(narrow),
  "encode into new memory, lists": () => encode(lists),
  "encode into new memory, typed arrays": () => encode(arrays),
  "copy of the same arrays (Buffer.concat)": () => Buffer.concat(sources),
  "copy of the body": () => Buffer.from(body),
  "JSON.stringify": () => JSON.stringify(lists),
  "protobuf-es toBinary": () => toBinary(ForwardBackwardRequestSchema, message),
  decode,
  "JSON.parse of the result": () => JSON.parse(resultText) as unknown,
  "protobuf-es fromBinary": () => fromBinary(ForwardBackwardOutputSchema, result.body),
};

/** How long one contender runs on end, in milliseconds: as a program does, and so that it does not pay for another's garbage. */
const turnMs = 60;
/** The first turn is longer and not counted: the compiler must have seen the code. */
const warmUpMs = 600;

/**
 * Milliseconds per contender: the lower quartile of all runs, which a busy machine disturbs least. Contenders take turns, so
 * that a slow moment hits all of them.
 */
function timings(): Map<string, number> {
  const times = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
  for (let turn = -1; turn < turns; turn++) {
    for (const [name, run] of Object.entries(contenders)) {
      const turnEnd = performance.now() + (turn < 0 ? warmUpMs : turnMs);
      for (let start = performance.now(); start < turnEnd; start = performance.now()) {
        run();
        if (turn >= 0) times.get(name)?.push(performance.now() - start);
      }
    }
  }
  return new Map([...times].map(([name, list]) => [name, lowerQuartile(list)]));
}

function lowerQuartile(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 2] ?? Number.NaN;
}

interface PythonTimes {
  readonly version: string;
  readonly encode_lists: number;
  readonly encode_arrays: number;
  readonly encode_made: number;
  readonly decode: number;
  readonly digest: string;
  readonly digest_of_ours: string;
  readonly decoded: number;
}

function pythonTimes(): PythonTimes | undefined {
  const input = JSON.stringify({
    rounds: 30,
    datums,
    request: Buffer.from(body).toString("base64"),
    result: Buffer.from(result.body).toString("base64"),
  });
  const script = new URL("wire_python.py", import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(python, [script], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return JSON.parse(stdout) as PythonTimes;
  const reason = stderr?.trim().split("\n").at(-1) ?? "it did not start";
  console.log(`official Python SDK: skipped, ${python} cannot run it (${reason})`);
  return undefined;
}

const before = pythonTimes();
if (before !== undefined) {
  if (before.digest !== before.digest_of_ours)
    throw new Error("the official SDK's request is another message");
  if (Math.abs(before.decoded - decode()) > 1e-6) throw new Error("the official SDK decodes other numbers");
}

const ours = timings();
const after = before === undefined ? undefined : pythonTimes();
const theirs =
  before === undefined || after === undefined
    ? undefined
    : {
        version: before.version,
        ...leastOf(["encode_lists", "encode_arrays", "encode_made", "decode"], before, after),
      };
const ms = (name: string): number => ours.get(name) ?? Number.NaN;

function peakBytes(run: () => unknown): number {
  const before = process.memoryUsage();
  const kept = run();
  const after = process.memoryUsage();
  if (kept === undefined) throw new Error("nothing was encoded");
  return after.arrayBuffers - before.arrayBuffers + Math.max(0, after.heapUsed - before.heapUsed);
}

console.log(
  `${datumCount} datums x ${length} tokens: request ${body.length} bytes, result ${result.body.length} bytes`,
);
for (const [name, time] of ours) console.log(`  ${name.padEnd(42)} ${time.toFixed(3).padStart(8)} ms`);
if (theirs !== undefined) {
  console.log(`official Python SDK ${theirs.version}, datums made and encoded:`);
  console.log(
    `  from lists ${(theirs.encode_lists * 1000).toFixed(2)} ms, from numpy arrays ${(theirs.encode_arrays * 1000).toFixed(2)} ms`,
  );
  console.log(
    `  encoding alone ${(theirs.encode_made * 1000).toFixed(2)} ms, decode ${(theirs.decode * 1000).toFixed(2)} ms`,
  );
}

/** One line a goal. */
function compare(what: string, ratio: number, goal: number, atLeast: boolean): void {
  const met = atLeast ? ratio >= goal : ratio <= goal;
  console.log(
    `${met ? "ok  " : "MISS"} ${what}: ${ratio.toFixed(2)} (goal ${atLeast ? ">=" : "<="} ${goal})`,
  );
}

console.log("ratios:");
if (theirs !== undefined) {
  compare(
    "encode lists, times faster than Python",
    (theirs.encode_lists * 1000) / ms("encode, lists"),
    20,
    true,
  );
  compare(
    "encode typed arrays, times faster than Python",
    (theirs.encode_arrays * 1000) / ms("encode, typed arrays"),
    40,
    true,
  );
  compare("decode, times faster than Python", (theirs.decode * 1000) / ms("decode"), 10, true);
}
compare(
  "encode typed arrays / bare copy of the same arrays",
  ms("encode, typed arrays") / ms("copy of the same arrays (Buffer.concat)"),
  1.5,
  false,
);
console.log(
  `     the same into new memory: ${(ms("encode into new memory, typed arrays") / ms("copy of the same arrays (Buffer.concat)")).toFixed(2)}`,
);
console.log(
  `     encode typed arrays / one copy of the finished body: ${(ms("encode, typed arrays") / ms("copy of the body")).toFixed(2)}`,
);
console.log(`     encode lists / JSON.stringify: ${(ms("encode, lists") / ms("JSON.stringify")).toFixed(2)}`);
console.log(
  `     encode typed arrays / protobuf-es: ${(ms("encode, typed arrays") / ms("protobuf-es toBinary")).toFixed(2)}`,
);
console.log(`     decode / JSON.parse: ${(ms("decode") / ms("JSON.parse of the result")).toFixed(3)}`);
console.log(
  `     decode / protobuf-es (which leaves tensors as bytes): ${(ms("decode") / ms("protobuf-es fromBinary")).toFixed(2)}`,
);
compare("memory while encoding lists / body", peakBytes(() => encode(lists)) / body.length, 1.3, false);
compare(
  "memory while encoding typed arrays / body",
  peakBytes(() => encode(arrays)) / body.length,
  1.3,
  false,
);
