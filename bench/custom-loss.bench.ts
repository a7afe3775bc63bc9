// What automatic differentiation costs a custom loss, over 128 datums of 512 tokens: against its gradient written by hand in
// loops over typed arrays, which needs no tfjs, and in operations of tfjs.
import { performance } from "node:perf_hooks";
import type { Tensor1D } from "@tensorflow/tfjs-core";
import { customLoss, pickBackend, tf } from "@tinkex/tensor/tfjs";
import type { CustomLoss } from "@tinkex/types";

const datumCount = 128;
const length = 512;
const turns = 60;
const [low, high] = [0.8, 1.2];

/** Numbers that look like the real ones and are the same in every run. */
const numbers = (value: (index: number) => number) =>
  Array.from({ length: datumCount }, (_, datum) =>
    Float32Array.from({ length }, (_, index) => value(datum * length + index)),
  );
const logprobs = numbers((index) => -(1 + ((index * 31) % 1000)) / 97);
const sampled = numbers((index) => -(1 + ((index * 31) % 1000)) / 97 + ((index % 13) - 6) / 20);
const advantages = numbers((index) => ((index * 17) % 200) / 100 - 1);
const data = logprobs.map(() => ({
  model_input: { chunks: [] },
  loss_fn_inputs: {
    target_tokens: { data: new Int32Array(length), dtype: "int64", shape: [length] } as const,
  },
}));

function joinRows(rows: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(datumCount * length);
  for (const [index, row] of rows.entries()) joined.set(row, index * length);
  return joined;
}
const split = (joined: Float32Array) =>
  logprobs.map((_, index) => joined.subarray(index * length, (index + 1) * length));

/** One loss in each of the ways it can be written. */
interface Writing {
  /** Writes the gradient of a datum into `gradient`, and gives its loss. */
  readonly loops: (p: Float32Array, q: Float32Array, a: Float32Array, gradient: Float32Array) => number;
  readonly byRow: (ratio: Tensor1D, advantages: Tensor1D) => Tensor1D;
  readonly slopeOfRow: (ratio: Tensor1D, advantages: Tensor1D, values: Tensor1D) => Tensor1D;
}

const losses: Readonly<Record<string, Writing>> = {
  "importance sampling": {
    loops: (p, q, a, gradient) => {
      let loss = 0;
      for (let index = 0; index < p.length; index += 1) {
        const value = -Math.exp((p[index] ?? 0) - (q[index] ?? 0)) * (a[index] ?? 0);
        loss += value;
        gradient[index] = value;
      }
      return loss;
    },
    byRow: (ratio, a) => tf.neg(tf.mul(ratio, a)),
    slopeOfRow: (_, __, values) => values,
  },
  "clipped policy": {
    loops: (p, q, a, gradient) => {
      let loss = 0;
      for (let index = 0; index < p.length; index += 1) {
        const ratio = Math.exp((p[index] ?? 0) - (q[index] ?? 0));
        const free = ratio * (a[index] ?? 0);
        const clipped = Math.min(Math.max(ratio, low), high) * (a[index] ?? 0);
        loss -= Math.min(free, clipped);
        gradient[index] = free <= clipped ? -free : 0;
      }
      return loss;
    },
    byRow: (ratio, a) => tf.neg(tf.minimum(tf.mul(ratio, a), tf.mul(tf.clipByValue(ratio, low, high), a))),
    slopeOfRow: (ratio, a, values) => {
      const free = tf.neg(tf.mul<Tensor1D>(ratio, a));
      return tf.where(tf.equal(free, values), free, tf.zerosLike(free));
    },
  },
};

function contenders({ loops, byRow, slopeOfRow }: Writing): Record<string, CustomLoss> {
  const q = tf.tensor1d(joinRows(sampled));
  const a = tf.tensor1d(joinRows(advantages));
  const ratioOf = (row: Tensor1D) => tf.exp(tf.sub<Tensor1D>(row, q));
  return {
    autodiff: customLoss((_, __, row) => ({ loss: tf.sum(byRow(ratioOf(row), a)) })),
    "autodiff, a tensor a datum": customLoss((_, tensors) => ({
      loss: tf.sum(byRow(ratioOf(tf.concat1d(tensors as Tensor1D[])), a)),
    })),
    "by hand, loops": (_, rows) => {
      let loss = 0;
      const gradients = rows.map((row, datum) => {
        const gradient = new Float32Array(row.length);
        loss += loops(row, sampled[datum] ?? row, advantages[datum] ?? row, gradient);
        return gradient;
      });
      return { loss, gradients };
    },
    "by hand, tfjs": async (_, rows) => {
      const [loss, gradient] = tf.tidy(() => {
        const ratio = ratioOf(tf.tensor1d(joinRows(rows)));
        const values = byRow(ratio, a);
        return [tf.sum(values), slopeOfRow(ratio, a, values)] as const;
      });
      const [value, slopes] = await Promise.all([loss.data(), gradient.data<"float32">()]);
      tf.dispose([loss, gradient]);
      return { loss: value[0] ?? Number.NaN, gradients: split(slopes) };
    },
  };
}

/** All ways must give the same numbers before their times mean anything. */
async function checkAgreement(ways: Readonly<Record<string, CustomLoss>>): Promise<void> {
  const expected = await ways["by hand, loops"]?.(data, logprobs);
  for (const [name, loss] of Object.entries(ways)) {
    const { loss: value, gradients } = await loss(data, logprobs);
    const lossGap = Math.abs(value / (expected?.loss ?? Number.NaN) - 1);
    const gap = Math.max(
      ...gradients.flatMap((row, datum) =>
        Array.from(row, (slope, index) => Math.abs(slope - Number(expected?.gradients[datum]?.[index]))),
      ),
    );
    if (!(gap < 1e-5 && lossGap < 1e-4)) throw new Error(`${name}: off by ${gap}, the loss by ${lossGap}`);
  }
}

/** Milliseconds: the lower quartile. The ways take turns, so that a slow moment hits all of them. */
async function timings(ways: Readonly<Record<string, CustomLoss>>): Promise<Record<string, number>> {
  const times = Object.entries(ways).map(([name, loss]) => ({ name, loss, list: [] as number[] }));
  for (let turn = -10; turn < turns; turn++) {
    for (const { loss, list } of times) {
      const start = performance.now();
      await loss(data, logprobs);
      if (turn >= 0) list.push(performance.now() - start);
    }
  }
  return Object.fromEntries(
    times.map(({ name, list }) => [name, list.toSorted((x, y) => x - y)[list.length >> 2] ?? Number.NaN]),
  );
}

// One thread, as the loops have; read when tfjs-node is loaded. For tensors of this size it is the faster setting, too.
process.env.TF_NUM_INTRAOP_THREADS ??= "1";
const fastest = await pickBackend();
console.log(
  `backend picked: ${fastest.reason}; TF_NUM_INTRAOP_THREADS=${process.env.TF_NUM_INTRAOP_THREADS}`,
);
for (const backend of ["tfjs-node", "wasm", "cpu"] as const) {
  try {
    await pickBackend({ backend });
  } catch {
    console.log(`${backend}: skipped, it is not there`);
    continue;
  }
  for (const [name, writing] of Object.entries(losses)) {
    const ways = contenders(writing);
    await checkAgreement(ways);
    const ms = await timings(ways);
    console.log(`${name}, on ${backend}`);
    for (const [way, time] of Object.entries(ms))
      console.log(`     ${way.padEnd(28)} ${time.toFixed(2).padStart(6)} ms`);
    const ratio = (way: string) => (ms.autodiff ?? Number.NaN) / (ms[way] ?? Number.NaN);
    const loops = ratio("by hand, loops");
    const mark = backend !== fastest.backend ? "    " : loops <= 2 ? "ok  " : "MISS";
    console.log(
      `${mark} autodiff / by hand, loops: ${loops.toFixed(2)} (goal on the picked backend: at most 2)`,
    );
    console.log(`     autodiff / by hand, tfjs: ${ratio("by hand, tfjs").toFixed(2)}`);
  }
}
