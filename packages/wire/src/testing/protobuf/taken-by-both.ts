import { inspect, isDeepStrictEqual } from "node:util";
import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { DecodeError } from "../../decode-error.js";
import {
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
} from "../../generated/tinker_public_pb.js";
import { readSampleResponse } from "../../sampling/read-sample-response.js";
import { readForwardBackward } from "../../training/read-forward-backward.js";
import { readForwardBackwardOutput } from "../../training/read-forward-backward-output.js";
import { toHex } from "../hex.js";
import { type MessageShape, shapeOf } from "./message-shape.js";
import type { RANDOM_MESSAGES } from "./random-messages.js";
import { RECORDS_OF } from "./records-of-messages.js";
import { FAULTS_OF_MEANING, RULED_DISAGREEMENTS } from "./ruled-disagreements.js";
import { traitsOf } from "./walk-message.js";

/** One of the messages that this package reads, beside the schema by which protobuf-es reads it. */
export interface Subject {
  readonly name: keyof typeof RANDOM_MESSAGES;
  readonly desc: DescMessage;
  readonly shape: MessageShape;
  readonly read: (bytes: Uint8Array) => unknown;
}

const READERS = [
  { name: "SampleResponse", desc: SampleResponseSchema, read: readSampleResponse },
  { name: "ForwardBackwardOutput", desc: ForwardBackwardOutputSchema, read: readForwardBackwardOutput },
  { name: "ForwardBackwardRequest", desc: ForwardBackwardRequestSchema, read: readForwardBackward },
] as const;

/** All messages that this package reads. */
export const SUBJECTS: readonly Subject[] = READERS.map((reader) => ({
  ...reader,
  shape: shapeOf(reader.desc),
}));

type Outcome<Value> = { readonly value: Value } | { readonly error: Error };

function outcomeOf<Value>(read: () => Value): Outcome<Value> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Error) return { error };
    throw error;
  }
}

/**
 * Has both readers read the bytes.
 *
 * @param place - name of the case in the message
 * @returns whether they were taken
 * @throws Error that tells how the readers differ about them in a way that is not in the list
 */
export function takenByBoth(subject: Subject, bytes: Uint8Array, place: string): boolean {
  const fault = outcomeOf(() => disagreement(subject, bytes));
  const told = "error" in fault ? fault.error.message : fault.value;
  if (told !== undefined) throw new Error(`${place}, ${toHex(bytes)}: ${told}`);
  return "value" in outcomeOf(() => subject.read(bytes));
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
