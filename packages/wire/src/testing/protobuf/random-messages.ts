import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type BatchedTensorSchema,
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  type SampledSequenceSchema,
  SampleResponseSchema,
  StopReason,
  type TensorSchema,
} from "../../generated/tinker_public_pb.js";
import type { Random } from "./random.js";

type Init<Schema extends Parameters<typeof create>[0]> = MessageInitShape<Schema>;

/** Bytes of an element by the number of its dtype. */
const ELEMENT_BYTES = { 1: 4, 2: 8, 3: 4, 4: 2 } as const;
const DTYPES = [1, 2, 3, 4] as const;
const KEYS = ["logprobs", "target_tokens", "__proto__", "\ufeffweights", "zwölf"] as const;

/** Makes the bytes of a message that means something, by its name: a start for mutations, which seldom make sense of nonsense. */
export const RANDOM_MESSAGES: Readonly<
  Record<
    "SampleResponse" | "ForwardBackwardOutput" | "ForwardBackwardRequest",
    (random: Random) => Uint8Array
  >
> = {
  SampleResponse: (random) => toBinary(SampleResponseSchema, create(SampleResponseSchema, response(random))),
  ForwardBackwardOutput: (random) =>
    toBinary(ForwardBackwardOutputSchema, create(ForwardBackwardOutputSchema, output(random))),
  ForwardBackwardRequest: (random) =>
    toBinary(ForwardBackwardRequestSchema, create(ForwardBackwardRequestSchema, request(random))),
};

function several<Item>(random: Random, make: (index: number) => Item): Item[] {
  return Array.from({ length: random.below(4) }, (_, index) => make(index));
}

function named<Item>(random: Random, make: () => Item): Record<string, Item> {
  const entries = several(random, (): [string, Item] => [random.pick(KEYS), make()]);
  // Own properties, also under the name of the prototype.
  return Object.fromEntries(entries);
}

function response(random: Random): Init<typeof SampleResponseSchema> {
  return {
    sequences: several(
      random,
      (): Init<typeof SampledSequenceSchema> => ({
        stopReason: random.pick([StopReason.STOP, StopReason.LENGTH]),
        tokens: random.bytes(4 * random.below(4)),
        ...(random.oneIn(2) ? { logprobs: random.bytes(4 * random.below(4)) } : {}),
        ...(random.oneIn(3) ? { topkSampledLogprobs: topk(random) } : {}),
      }),
    ),
    ...(random.oneIn(2) ? { promptLogprobs: random.bytes(4 * random.below(4)) } : {}),
    ...(random.oneIn(3) ? { topkPromptLogprobs: topk(random) } : {}),
    promptCacheHitTokens: random.below(100) - 50,
    ...(random.oneIn(3) ? { targetPromptLogprobs: tensor(random) } : {}),
    ...(random.oneIn(3) ? { promptAltTokens: { tokens: tensor(random), logprobs: tensor(random) } } : {}),
  };
}

function topk(random: Random) {
  const [k, length] = [random.below(3), random.below(3)];
  return { tokenIds: random.bytes(4 * k * length), logprobs: random.bytes(4 * k * length), k, length };
}

function tensor(random: Random): Init<typeof TensorSchema> {
  const dtype = random.pick(DTYPES);
  const elementBytes = ELEMENT_BYTES[dtype];
  if (random.oneIn(4)) {
    const values = random.bytes(2 * elementBytes);
    const sparseCsr = { values, crowIndices: longs(0, 1, 2), colIndices: longs(random.below(3), 2) };
    return { encoding: { case: "sparseCsr", value: sparseCsr }, dtype, shape: [2n, 3n] };
  }
  const shape = several(random, () => BigInt(random.below(3)));
  const count = Number(shape.reduce((product, size) => product * size, 1n));
  return { encoding: { case: "dense", value: random.bytes(count * elementBytes) }, dtype, shape };
}

function longs(...values: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
}

function output(random: Random): Init<typeof ForwardBackwardOutputSchema> {
  return {
    lossFnOutputType: random.pick(["", "a:b:C", "TorchLossReturn"]),
    lossFnOutputs: several(random, () => {
      const datumCount = random.below(3);
      return {
        typeTag: random.pick(["", "pkg.mod:C"]),
        fields: named(random, () => batchedTensor(random, datumCount)),
        numDatums: BigInt(random.oneIn(4) ? 0 : datumCount),
      };
    }),
    metrics: named(random, () => random.below(1000) / 8),
  };
}

function batchedTensor(random: Random, datumCount: number): Init<typeof BatchedTensorSchema> {
  const dtype = random.pick(DTYPES);
  const trailing = several(random, () => 1 + random.below(2));
  const rowBytes = trailing.reduce((product, size) => product * size, ELEMENT_BYTES[dtype]);
  const offsets = [0];
  for (let index = 0; index < datumCount; index += 1)
    offsets.push((offsets.at(-1) ?? 0) + rowBytes * random.below(3));
  return {
    data: random.bytes(offsets.at(-1) ?? 0),
    offsets: longs(...offsets),
    dtype,
    trailingShape: trailing.map(BigInt),
  };
}

function request(random: Random): Init<typeof ForwardBackwardRequestSchema> {
  return {
    modelId: random.pick(["", "model-1", "\ufeffmodel"]),
    seqId: random.below(2 ** 32) - 2 ** 31,
    lossFn: random.pick(["cross_entropy", "ppo", "a newer one"]),
    forwardOnly: random.oneIn(2),
    data: several(random, () => ({
      modelInput: several(random, () => ({ chunk: chunk(random) })),
      lossFnInputs: named(random, () => tensor(random)),
      modelInputSpans: several(random, () => ({ span: span(random) })),
      lossFnInputSpans: several(random, () => ({ span: span(random) })),
    })),
    lossFnConfig: named(random, () => random.below(1000) / 8),
    lossFnConfigV2: named(random, () => ({
      value: random.oneIn(2)
        ? ({ case: "number", value: random.below(9) } as const)
        : ({ case: "text", value: random.pick(["", "ä"]) } as const),
    })),
  };
}

function chunk(random: Random) {
  switch (random.below(3)) {
    case 0:
      return { case: "encodedText", value: { tokens: random.bytes(4 * random.below(4)) } } as const;
    case 1: {
      const expected = random.oneIn(2) ? { expectedTokens: random.below(100) } : {};
      const dimensions = random.oneIn(2)
        ? { overrideDimensions: { width: 3, height: random.below(500) } }
        : {};
      const format = random.pick(["png", "jpeg"]);
      return {
        case: "image",
        value: { data: random.bytes(random.below(9)), format, ...expected, ...dimensions },
      } as const;
    }
    default:
      return { case: "dmel", value: { dmel: random.bytes(random.below(9)) } } as const;
  }
}

function span(random: Random) {
  const value = {
    sequenceId: random.pick(["s", "ü"]),
    offset: BigInt(random.below(500)),
    length: BigInt(random.below(500)),
  };
  return { case: random.pick(["promptTokens", "sampledTokens"] as const), value };
}
