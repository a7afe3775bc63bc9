import type { Message, ToolDeclaration } from "../messages/message.js";
import type { TrainOn } from "../renderer/train-on.js";
import { readFixture } from "./read-fixture.js";

/** Results of the reference implementation for one renderer. */
export interface Recording {
  readonly renderer: string;
  readonly tokenizer: RecordedTokenizer;
  readonly stop_sequences: readonly number[] | readonly string[];
  readonly has_extension_property: boolean;
  readonly supports_streaming: boolean;
  readonly disables_thinking: boolean;
  readonly conversations: readonly RecordedConversation[];
  readonly parse: readonly RecordedResponse[];
}

export interface RecordedTokenizer {
  readonly npm?: string;
  readonly file?: string;
  readonly sha256: string;
  readonly bos_token?: string | null;
  readonly eos_token?: string | null;
  /** Fields of added tokens, by id, that differ from the file's. */
  readonly patch?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The reference refuses. */
export interface Refusal {
  readonly error: string;
  readonly why: string;
}

export interface RecordedConversation {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly prefill?: string;
  readonly generate_role?: string;
  readonly tools?: readonly ToolDeclaration[];
  readonly system_prompt?: string;
  readonly prefix_messages?: readonly Message[] | Refusal;
  /** The same by the chat template of the model, as transformers applies it. */
  readonly hf_template?: { readonly generation_equal?: boolean } | null;
  readonly generation?: RecordedDocument | Refusal;
  readonly generation_before_last?: RecordedDocument | Refusal;
  /** Without a document where the reference refuses it. */
  readonly supervised?: Partial<RecordedDocument> & {
    readonly weights: Readonly<Partial<Record<TrainOn, WeightRuns | Refusal>>>;
  };
  readonly supervised_split?: Readonly<Partial<Record<TrainOn, readonly RecordedExample[] | Refusal>>>;
}

/** `[weight, count]` pairs. */
export type WeightRuns = readonly (readonly [number, number])[];

export interface RecordedDocument {
  readonly ids?: readonly number[];
  readonly chunk_lengths?: readonly number[];
  /** In place of both where an image is among them. */
  readonly chunks?: readonly RecordedChunk[];
  readonly text: string;
}

/** The bytes of images are not recorded. */
export type RecordedChunk =
  | { readonly type: "encoded_text"; readonly tokens: readonly number[] }
  | { readonly type: "image"; readonly format: string; readonly expected_tokens: number };

export interface RecordedExample {
  readonly length: number;
  readonly weights: WeightRuns;
  /** Not of documents with an image. */
  readonly ids_sha256?: string;
}

export interface RecordedResponse {
  readonly response_text: string;
  readonly ids: readonly number[];
  readonly message?: RecordedMessage;
  readonly termination?: string;
  readonly failure?: string | null;
  readonly error?: string;
  readonly why?: string;
  readonly stream?: readonly Readonly<Record<string, unknown>>[];
}

/** A message whose unparsed calls have no `error`: it is each implementation's own text. */
export type RecordedMessage = Omit<Message, "unparsed_tool_calls"> & {
  readonly unparsed_tool_calls?: readonly { readonly raw_text: string }[];
};

/** Reads what is recorded under this name, e.g. `qwen3` or `role_colon.llama3`. */
export function readRecording(name: string): Recording {
  return readFixture(`recordings/${name}`) as Recording;
}
