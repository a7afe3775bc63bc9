import { inspect, isDeepStrictEqual } from "node:util";
import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { DecodeError } from "./decode-error.js";
import {
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
} from "./generated/tinker_public_pb.js";
import { readSampleResponse } from "./sampling/read-sample-response.js";
import { toHex } from "./testing/hex.js";
import { type MessageShape, shapeOf } from "./testing/protobuf/message-shape.js";
import { mutateMessage } from "./testing/protobuf/mutate-message.js";
import { randomOf } from "./testing/protobuf/random.js";
import { RANDOM_MESSAGES } from "./testing/protobuf/random-messages.js";
import { RECORDS_OF } from "./testing/protobuf/records-of-messages.js";
import { FAULTS_OF_MEANING, RULED_DISAGREEMENTS } from "./testing/protobuf/ruled-disagreements.js";
import { traitsOf } from "./testing/protobuf/walk-message.js";
import { readForwardBackward } from "./training/read-forward-backward.js";
import { readForwardBackwardOutput } from "./training/read-forward-backward-output.js";

/** Cases for each message: many in the long run (`pnpm test:fuzz`), a sample of them in every run. */
const cases = Number(process.env.FUZZ_CASES ?? 800);
const seed = Number(process.env.FUZZ_SEED ?? 1);

interface Subject {
  readonly name: keyof typeof RANDOM_MESSAGES;
  readonly desc: DescMessage;
  readonly shape: MessageShape;
  readonly read: (bytes: Uint8Array) => unknown;
}

const SUBJECTS = [
  { name: "SampleResponse", desc: SampleResponseSchema, read: readSampleResponse },
  { name: "ForwardBackwardOutput", desc: ForwardBackwardOutputSchema, read: readForwardBackwardOutput },
  { name: "ForwardBackwardRequest", desc: ForwardBackwardRequestSchema, read: readForwardBackward },
] as const satisfies readonly Omit<Subject, "shape">[];

type Outcome<Value> = { readonly value: Value } | { readonly error: Error };

function outcomeOf<Value>(read: () => Value): Outcome<Value> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Error) return { error };
    throw error;
  }
}

/** Says how the readers differ about these bytes in a way that is not in the list; undefined where they do not. */
function disagreement({ name, desc, shape, read }: Subject, bytes: Uint8Array): string | undefined {
  const ours = outcomeOf(() => read(bytes));
  if ("error" in ours && !(ours.error instanceof DecodeError)) return `threw ${ours.error}`;
  const traits = [...traitsOf(bytes, shape)];
  if (traits.some((trait) => RULED_DISAGREEMENTS[trait].reader === "refuses"))
    return "error" in ours ? undefined : `was read in spite of ${traits}`;
  const theirs = outcomeOf(() => fromBinary(desc, bytes));
  if ("error" in theirs)
    return "error" in ours ? undefined : `was read, where protobuf-es says "${theirs.error.message}"`;
  if ("error" in ours) return refusalFault({ desc, read }, theirs.value, ours.error, traits.length > 0);
  const record = RECORDS_OF[name];
  // The message is of the schema that stands beside the name.
  const meant = record(theirs.value as never);
  return isDeepStrictEqual(ours.value, meant)
    ? undefined
    : `was read as ${inspect(ours.value, { depth: 9 })}`;
}

/** Looks at a refusal of what protobuf-es takes: it must be about the meaning, and hold for the same message as protobuf-es writes it. */
function refusalFault(
  { desc, read }: Pick<Subject, "desc" | "read">,
  message: Message,
  error: Error,
  mayRefuse: boolean,
): string | undefined {
  if (!FAULTS_OF_MEANING.some((fault) => fault.test(error.message)))
    return `was refused, where protobuf-es reads it: ${error.message}`;
  const again = outcomeOf(() => read(toBinary(desc, message, { writeUnknownFields: false })));
  return "error" in again || mayRefuse
    ? undefined
    : `was refused, and read as protobuf-es writes it: ${error.message}`;
}

describe("readers of protobuf, with protobuf-es as the judge", () => {
  it.each(SUBJECTS)(
    "agree on what a mutated $name is: the same values, or none",
    (described) => {
      const shape = shapeOf(described.desc);
      const subject: Subject = { ...described, shape };
      let [taken, refused] = [0, 0];
      for (let index = 0; index < cases; index += 1) {
        const random = randomOf(seed * 1_000_003 + index);
        const bytes = mutateMessage(RANDOM_MESSAGES[subject.name](random), shape, random);
        const fault = outcomeOf(() => disagreement(subject, bytes));
        const told = "error" in fault ? fault.error.message : fault.value;
        if (told !== undefined) throw new Error(`case ${index} of seed ${seed}, ${toHex(bytes)}: ${told}`);
        if ("value" in outcomeOf(() => subject.read(bytes))) taken += 1;
        else refused += 1;
      }
      // Both kinds are met often enough to say something.
      expect(taken).toBeGreaterThan(cases / 5);
      expect(refused).toBeGreaterThan(cases / 5);
    },
    3_600_000,
  );
});
