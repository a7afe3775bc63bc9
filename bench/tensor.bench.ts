// What it costs to cast a batch of 64k tokens (targets, weights, log-probabilities): against the official Python SDK for the
// same data (skipped where `tinker` is not installed; TINKEX_BENCH_PYTHON names the interpreter), a plain copy of the bytes, and the
// plainest loop that reads the lists and fills new memory. Python runs before and after, and its better times count: on a machine
// with other work the ratio to Python swings by a third from run to run, that to the plain loop by a twentieth.
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { TensorData, type TensorLike, TensorMemory, toNumbers } from "@tinkex/tensor";
import { pickBackend, tf, toTensor } from "@tinkex/tensor/tfjs";
import { leastOf } from "./least-of.mjs";

const datumCount = 128;
const length = 512;
/** Nested lists have rows of this length. */
const columns = 8;
const turns = 12;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";

const KEYS = ["target_tokens", "weights", "logprobs"] as const;
type Batch<Value> = readonly Readonly<Record<(typeof KEYS)[number], Value>>[];

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Numbers that look like the real ones and are the same in every run, in lists as a file of examples gives them. */
const lists: Batch<number[]> = JSON.parse(
  JSON.stringify(
    range(datumCount).map((datum) => {
      const indices = range(length).map((index) => datum * length + index);
      return {
        target_tokens: indices.map((index) => (index * 7919) % 151_643),
        weights: indices.map((index) => (index % 5 === 0 ? 0 : 1)),
        logprobs: indices.map((index) => -(1 + ((index * 31) % 1000)) / 97),
      };
    }),
  ),
);

/** The same batch, each of its lists held in another way. */
function held<Value>(hold: (values: number[], key: (typeof KEYS)[number]) => Value): Batch<Value> {
  return lists.map(({ target_tokens, weights, logprobs }) => ({
    target_tokens: hold(target_tokens, "target_tokens"),
    weights: hold(weights, "weights"),
    logprobs: hold(logprobs, "logprobs"),
  }));
}

const arrays = held((values, key) =>
  key === "target_tokens" ? Int32Array.from(values) : Float32Array.from(values),
);
const doubles = held((values, key) =>
  key === "target_tokens" ? Uint16Array.from(values) : Float64Array.from(values),
);
const nested = held((values) =>
  Array.from({ length: length / columns }, (_, row) => values.slice(row * columns, (row + 1) * columns)),
);

/** As the client casts the examples of a call. */
function cast(batch: Batch<TensorLike>): TensorData[][] {
  const memory = new TensorMemory();
  return batch.map((datum, datumIndex) =>
    KEYS.map((key) => TensorData.from(datum[key], { key, datumIndex, memory })),
  );
}

const copy = (): unknown => arrays.map((datum) => KEYS.map((key) => datum[key].slice()));

/** Reads every element and stores it in new memory, unchecked: what no cast of lists can do without. */
function plainLoop(): unknown {
  const store = (target: Int32Array | Float32Array, list: readonly number[]) => {
    for (let index = 0; index < target.length; index += 1) target[index] = list[index] as number; // lists are of this length
    return target;
  };
  return lists.map(({ target_tokens, weights, logprobs }) => [
    store(new Int32Array(length), target_tokens),
    store(new Float32Array(length), weights),
    store(new Float32Array(length), logprobs),
  ]);
}

const contenders: Record<string, () => unknown> = {
  "from lists": () => cast(lists),
  "from typed arrays": () => cast(arrays),
  "from typed arrays that must be converted": () => cast(doubles),
  "from nested lists": () => cast(nested),
  "plain copy of the typed arrays": copy,
  "plain loop over the lists, unchecked": plainLoop,
};

/** The batch as tensors on the active backend. */
function onActiveBackend(): Batch<TensorLike> {
  const made = (value: TensorLike, key: string) => toTensor(TensorData.from(value, { key }));
  return arrays.map(({ target_tokens, weights, logprobs }) => ({
    target_tokens: made(target_tokens, "target_tokens"),
    weights: made(weights, "weights"),
    logprobs: made(logprobs, "logprobs"),
  }));
}

for (const backend of ["cpu", "wasm", "tfjs-node"] as const) {
  try {
    await pickBackend({ backend });
  } catch {
    console.log(`tf.Tensor on ${backend}: skipped, it is not there`);
    continue;
  }
  const batch = onActiveBackend();
  contenders[`from tf.Tensor on ${backend}`] = () => cast(batch);
}
const { backend: active } = await pickBackend();
contenders[`to tf.Tensor on ${active}`] = () => tf.tidy(() => void onActiveBackend());

/** Sums of each key over the batch, to see that all ways lead to the same numbers. */
function totals(batch: TensorData[][]): number[] {
  return KEYS.map((_, column) =>
    batch.reduce((sum, row) => {
      const tensor = row[column];
      return tensor === undefined
        ? Number.NaN
        : sum + toNumbers(tensor).reduce((total, value) => total + value, 0);
    }, 0),
  );
}

function checkTotals(what: string, found: readonly number[]): void {
  const expected = totals(cast(lists));
  for (const [index, value] of found.entries()) {
    const wanted = expected[index] ?? Number.NaN;
    // Python adds the values in another order.
    if (!(Math.abs(value - wanted) <= 1e-6 * Math.abs(wanted)))
      throw new Error(`${what}: ${KEYS[index]} adds up to ${value}, not ${wanted}`);
  }
}
checkTotals("typed arrays", totals(cast(arrays)));
checkTotals("nested lists", totals(cast(nested)));

/** How long one contender runs on end, in milliseconds. */
const turnMs = 60;
/** The first turn is longer and not counted: the compiler must have seen the code. */
const warmUpMs = 400;

/** Milliseconds per contender: the lower quartile of all runs. Contenders take turns, so that a slow moment hits all of them. */
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
  return new Map(
    [...times].map(([name, list]) => [name, list.toSorted((a, b) => a - b)[list.length >> 2] ?? Number.NaN]),
  );
}

interface PythonTimes {
  readonly version: string;
  readonly lists: number;
  readonly arrays: number;
  readonly nested: number;
  readonly totals: Readonly<Record<(typeof KEYS)[number], readonly number[]>>;
}

function pythonTimes(): PythonTimes | undefined {
  const script = new URL("tensor_python.py", import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(python, [script], {
    input: JSON.stringify({ rounds: 30, columns, datums: lists }),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return JSON.parse(stdout) as PythonTimes;
  const reason = stderr?.trim().split("\n").at(-1) ?? "it did not start";
  console.log(`official Python SDK: skipped, ${python} cannot run it (${reason})`);
  return undefined;
}

const before = pythonTimes();
for (const way of [0, 1, 2]) {
  if (before !== undefined)
    checkTotals(
      "the official SDK",
      KEYS.map((key) => before.totals[key][way] ?? Number.NaN),
    );
}

const ours = timings();
const after = before === undefined ? undefined : pythonTimes();
const theirs =
  before === undefined || after === undefined
    ? undefined
    : { version: before.version, ...leastOf(["lists", "arrays", "nested"], before, after) };
const ms = (name: string): number => ours.get(name) ?? Number.NaN;

console.log(`${datumCount} datums x ${length} tokens, ${KEYS.join(", ")}:`);
for (const [name, time] of ours) console.log(`  ${name.padEnd(42)} ${time.toFixed(4).padStart(9)} ms`);
if (theirs !== undefined) {
  const inMs = (seconds: number) => `${(seconds * 1000).toFixed(2)} ms`;
  console.log(
    `official Python SDK ${theirs.version}: lists ${inMs(theirs.lists)}, numpy arrays ${inMs(theirs.arrays)}, nested lists ${inMs(theirs.nested)}`,
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
  compare("from lists, times faster than Python", (theirs.lists * 1000) / ms("from lists"), 20, true);
  const nestedRatio = (theirs.nested * 1000) / ms("from nested lists");
  console.log(`     from nested lists, times faster than Python: ${nestedRatio.toFixed(2)}`);
  const arraysRatio = (theirs.arrays * 1000) / ms("from typed arrays");
  console.log(`     from typed arrays, times faster than Python from numpy: ${arraysRatio.toFixed(2)}`);
}
const overPlainLoop = ms("from lists") / ms("plain loop over the lists, unchecked");
console.log(`     from lists / plain loop over them, unchecked: ${overPlainLoop.toFixed(2)}`);
const plainCopy = ms("plain copy of the typed arrays");
compare("from typed arrays / plain copy of the same bytes", ms("from typed arrays") / plainCopy, 1.5, false);
const converted = ms("from typed arrays that must be converted") / plainCopy;
console.log(`     from typed arrays that must be converted / plain copy: ${converted.toFixed(2)}`);
