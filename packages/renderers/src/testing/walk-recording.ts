import { createHash } from "node:crypto";
import { ValidationError } from "@tinkex/base";
import type { ModelInput } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { Renderer, SupervisedExample } from "../renderer/renderer.js";
import type { TrainOn } from "../renderer/train-on.js";
import { idsOf } from "./ids-of.js";
import { recordedEvents } from "./recorded-events.js";
import { recordedTokenizer } from "./recorded-tokenizers.js";
import {
  type RecordedChunk,
  type RecordedConversation,
  type RecordedDocument,
  type RecordedResponse,
  type Refusal,
  readRecording,
  type WeightRuns,
} from "./recording.js";

export interface WalkOptions {
  /** Conversations that this package refuses although the reference renders them, by id, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Fits a recorded message to this package's types, e.g. an image. @defaultValue the message as it is */
  readonly adapt?: (message: Message) => Message;
}

/** Tests a renderer against all that is recorded of it. */
export function walkRecording(
  name: string,
  makeRenderer: (tokenizer: RendererTokenizer) => Renderer,
  { refused = {}, adapt = (message) => message }: WalkOptions = {},
): void {
  const recording = readRecording(name);
  const renderer = makeRenderer(recordedTokenizer(recording.tokenizer));

  describe(`the recording of ${name}`, () => {
    it("has the properties and stop sequences of the renderer", () => {
      expect({
        stop_sequences: renderer.stopSequences,
        has_extension_property: renderer.hasExtensionProperty,
        supports_streaming: renderer.supportsStreaming,
        disables_thinking: renderer.disablesThinking,
      }).toEqual({
        stop_sequences: recording.stop_sequences,
        has_extension_property: recording.has_extension_property,
        supports_streaming: recording.supports_streaming,
        disables_thinking: recording.disables_thinking,
      });
    });

    for (const conversation of recording.conversations) {
      const messages = conversation.messages.map(adapt);
      if (conversation.id in refused) {
        it(`cookbook 7: refuses ${conversation.id}: ${refused[conversation.id]}`, () => {
          expect(() => renderer.buildGenerationPrompt(messages)).toThrow(/messages\[\d+\]/);
          expect(() => renderer.buildSupervisedExample(messages)).toThrow(ValidationError);
        });
      } else {
        it(`cookbook 1: ${conversation.id}`, () => checkConversation(renderer, conversation, messages));
      }
    }

    for (const [index, response] of recording.parse.entries()) {
      it(`cookbook 2: response ${index} ${JSON.stringify(response.response_text.slice(0, 40))}`, () =>
        checkResponse(renderer, response));
    }
  });
}

function checkConversation(
  renderer: Renderer,
  recorded: RecordedConversation,
  messages: readonly Message[],
): void {
  const { prefill, generate_role: role, supervised, supervised_split: split } = recorded;
  if (recorded.tools !== undefined) {
    const declare = () => renderer.declareTools(recorded.tools ?? [], recorded.system_prompt);
    const prefix = recorded.prefix_messages;
    checkOutcome(prefix, declare, (declared, wanted) => expect(declared).toEqual(wanted));
    if (prefix === undefined || isRefusal(prefix)) return;
    messages = [...prefix, ...messages];
  }
  checkOutcome(
    recorded.generation,
    () => renderer.buildGenerationPrompt(messages, { prefill, role }),
    checkDocument,
  );
  checkOutcome(
    recorded.generation_before_last,
    () => renderer.buildGenerationPrompt(messages.slice(0, -1), { prefill, role }),
    checkDocument,
  );
  for (const [mode, weights] of entries(supervised?.weights)) {
    checkOutcome(
      weights,
      () => renderer.buildSupervisedExample(withFlags(messages, mode), { trainOn: mode }),
      (example: SupervisedExample, wanted: WeightRuns) => {
        checkDocument(example.modelInput, supervised);
        expect(runs(example.weights), mode).toEqual(wanted.filter(([, count]) => count > 0));
      },
    );
  }
  for (const [mode, examples] of entries(split)) {
    checkOutcome(
      examples,
      () => renderer.buildSupervisedExamples(withFlags(messages, mode), { trainOn: mode }),
      (built, wanted) =>
        expect(
          built.map(({ modelInput, weights }) => ({
            length: weights.length,
            weights: runs(weights),
            ids_sha256: modelInput.chunks.every((chunk) => "tokens" in chunk)
              ? hashOf(modelInput)
              : undefined,
          })),
          mode,
        ).toEqual(wanted.map(({ length, weights, ids_sha256 }) => ({ length, weights, ids_sha256 }))),
    );
  }
}

function checkResponse(renderer: Renderer, recorded: RecordedResponse): void {
  const { ids, message, termination, failure, stream } = recorded;
  if (message === undefined) {
    expect(() => renderer.parseResponse(ids)).toThrow(ValidationError);
  } else {
    const parsed = renderer.parseResponse(ids);
    expect({ ...parsed, message: withoutErrors(parsed.message) }).toEqual({ message, termination, failure });
  }
  if (stream === undefined || !renderer.supportsStreaming) return;
  const events = recordedEvents(renderer, recorded);
  expect(
    events.map((event) => ("message" in event ? { message: withoutErrors(event.message) } : event)),
  ).toEqual(stream);
}

/** The flags belong to one mode only; others refuse them. */
function withFlags(messages: readonly Message[], mode: TrainOn): readonly Message[] {
  return mode === "customized" ? messages : messages.map(({ trainable: _, ...message }) => message);
}

function checkOutcome<Wanted, Built>(
  wanted: Wanted | Refusal | undefined,
  build: () => Built,
  check: (built: Built, wanted: Wanted) => void,
): void {
  if (wanted === undefined || wanted === null) return;
  if (isRefusal(wanted)) expect(build, wanted.why).toThrow(ValidationError);
  else check(build(), wanted);
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "error" in value && "why" in value;
}

/** Chunk by chunk; those that are empty are not sent (cookbook 6). */
function checkDocument({ chunks }: ModelInput, recorded: Partial<RecordedDocument> = {}): void {
  expect(
    chunks.map((chunk) => {
      if ("tokens" in chunk) return { type: "encoded_text", tokens: [...chunk.tokens] };
      return "data" in chunk
        ? { type: "image", format: chunk.format, expected_tokens: chunk.expected_tokens }
        : chunk;
    }),
  ).toEqual(recordedChunks(recorded));
}

function recordedChunks({
  ids = [],
  chunk_lengths = [],
  chunks,
}: Partial<RecordedDocument>): RecordedChunk[] {
  let start = 0;
  const cut = chunk_lengths.map((length) => {
    const tokens = ids.slice(start, start + length);
    start += length;
    return { type: "encoded_text" as const, tokens };
  });
  return [...(chunks ?? cut)].filter((chunk) => chunk.type === "image" || chunk.tokens.length > 0);
}

/** Weights as `[weight, count]` pairs. */
export function runs(weights: ArrayLike<number>): [number, number][] {
  const found: [number, number][] = [];
  for (const weight of Array.from(weights)) {
    const last = found.at(-1);
    if (last?.[0] === weight) last[1] += 1;
    else found.push([weight, 1]);
  }
  return found;
}

function hashOf(input: ModelInput): string {
  const written = `[${idsOf(input).join(", ")}]`;
  return createHash("sha256").update(written).digest("hex").slice(0, 16);
}

/** Why a call could not be read is not recorded, but must be said. */
function withoutErrors(message: Message): unknown {
  const { unparsed_tool_calls, ...rest } = message;
  if (unparsed_tool_calls === undefined) return rest;
  for (const { error } of unparsed_tool_calls) expect(error).not.toBe("");
  return { ...rest, unparsed_tool_calls: unparsed_tool_calls.map(({ raw_text }) => ({ raw_text })) };
}

function entries<Key extends string, Value>(record: Readonly<Partial<Record<Key, Value>>> | undefined) {
  // Object.entries forgets the keys' type, and that an entry has a value.
  return Object.entries(record ?? {}) as [Key, Value][];
}
