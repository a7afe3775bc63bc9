import {
  checkArray,
  checkKnownNames,
  checkNumberList,
  checkObject,
  describeValue,
  ValidationError,
} from "@tinkex/base";
import type { Datum, ModelInput, ModelInputChunk, ProvenanceSpan, TokenIds } from "@tinkex/types";
import { chunkLength } from "../renderer/weight-runs.js";
import { sliceSpans } from "./slice-spans.js";
import { truncateChunks } from "./truncate-chunks.js";

export interface DatumOptions {
  /** Most tokens of the whole document; what is behind them is cut off. The input has one token less. @defaultValue no limit */
  readonly maxLength?: number | undefined;
  /**
   * `"mean"` divides the weights by their sum, so that every example counts the same; `"none"` leaves them, so that every token
   * does. Learning rates differ between the two.
   * @defaultValue "mean"
   */
  readonly reduction?: "mean" | "none" | undefined;
  /**
   * Treatment of an example of which no trained token is left, as a rule because it was cut: it teaches nothing.
   * @defaultValue "throw"
   */
  readonly untrained?: "throw" | "keep" | undefined;
}

export interface TokensDatumOptions extends DatumOptions {
  /** Origins of the positions of the document, in order; they cover all of it. */
  readonly spans?: readonly ProvenanceSpan[] | undefined;
}

/**
 * A training example for the loss `cross_entropy`: each token of a document is predicted from those before it. The input is the
 * document without its last token, `target_tokens` (int64 `[N]`) the document without its first, where 0 stands for the tokens of an image,
 * and `weights` (float32 `[N]`) are those of the targets.
 *
 * @param document - tokens, or a whole model input
 * @param weights - one number per token of the document, as `buildSupervisedExample` gives them
 * @throws ValidationError when the weights or spans do not fit the document, or nothing is left to train on
 */
export function datumFromTokens(
  document: ModelInput | TokenIds,
  weights: ArrayLike<number>,
  options: TokensDatumOptions = {},
): Datum {
  checkKnownNames(options, OPTIONS, "the options of datumFromTokens");
  const { maxLength = Number.POSITIVE_INFINITY, reduction = "mean", untrained = "throw", spans } = options;
  const whole: readonly ModelInputChunk[] = isModelInput(document)
    ? document.chunks
    : [{ tokens: document, type: "encoded_text" }];
  const length = lengthOf(whole);
  checkMaxLength(maxLength);
  checkChoice("reduction", reduction, ["mean", "none"]);
  checkChoice("untrained", untrained, ["throw", "keep"]);
  checkNumberList(weights, "weights");
  checkLength("weights", weights.length, length);
  checkWeights(weights);
  if (spans !== undefined) {
    checkArray(spans, "spans");
    for (const [index, span] of spans.entries()) checkObject(span, `spans[${index}]`);
    checkLength(
      "spans",
      spans.reduce((sum, span) => sum + span.length, 0),
      length,
    );
  }

  const kept = truncateChunks(whole, maxLength);
  const count = lengthOf(kept) - 1;
  if (count < 1) {
    throw new ValidationError(
      "document must have at least two tokens, so that there is one to predict; leave it out, or raise maxLength",
      { path: ["document"] },
    );
  }
  const trained = Float32Array.from({ length: count }, (_, index) => weights[index + 1] ?? 0);
  const total = trained.reduce((sum, weight) => sum + weight, 0);
  const isTrained = trained.some((weight) => weight !== 0);
  if (isTrained && total === 0 && reduction === "mean") {
    throw new ValidationError(
      'weights must not sum to 0, by which no mean can divide; take the negative ones out, or set reduction: "none"',
      { path: ["weights"] },
    );
  }
  if (!isTrained && untrained === "throw") {
    throw new ValidationError(
      `no token of the document is trained on${count + 1 < length ? ` once it is cut to ${maxLength} tokens` : ""}; leave it out, or keep it with untrained: "keep"`,
      { path: ["weights"] },
    );
  }
  return {
    model_input: { chunks: withoutLastToken(kept) },
    loss_fn_inputs: {
      target_tokens: { data: targets(kept), dtype: "int64", shape: [count] },
      weights: {
        data: reduction === "mean" && total !== 0 ? trained.map((weight) => weight / total) : trained,
        dtype: "float32",
        shape: [count],
      },
    },
    ...(spans !== undefined && {
      model_input_spans: sliceSpans(spans, 0, count),
      loss_fn_input_spans: sliceSpans(spans, 1, count + 1),
    }),
  };
}

const OPTIONS: Readonly<Record<keyof TokensDatumOptions, true>> = {
  maxLength: true,
  reduction: true,
  untrained: true,
  spans: true,
};

/** Tells a model input from a list of tokens; refuses what is neither. */
function isModelInput(document: ModelInput | TokenIds): document is ModelInput {
  if (Array.isArray(document) || ArrayBuffer.isView(document)) {
    checkNumberList(document, "document");
    return false;
  }
  checkObject(document, "document", "[1, 2, 3]");
  checkArray((document as ModelInput).chunks, "document.chunks");
  return true;
}

function lengthOf(chunks: readonly ModelInputChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunkLength(chunk), 0);
}

function withoutLastToken(chunks: readonly ModelInputChunk[]): ModelInputChunk[] {
  return chunks.flatMap((chunk, index) => {
    if (index < chunks.length - 1 || !("tokens" in chunk)) return [chunk];
    return chunk.tokens.length === 1 ? [] : [{ ...chunk, tokens: chunk.tokens.slice(0, -1) }];
  });
}

/** All tokens but the first. */
function targets(chunks: readonly ModelInputChunk[]): Int32Array {
  const tokens = new Int32Array(lengthOf(chunks));
  let position = 0;
  for (const chunk of chunks) {
    if ("tokens" in chunk) {
      for (let index = 0; index < chunk.tokens.length; index += 1) {
        const token = chunk.tokens[index];
        if (typeof token !== "number" || (token | 0) !== token) throw noToken(token, position + index);
        tokens[position + index] = token;
      }
    }
    position += chunkLength(chunk);
  }
  return tokens.subarray(1);
}

function checkLength(name: "weights" | "spans", found: number, wanted: number): void {
  if (found === wanted) return;
  throw new ValidationError(
    `${name} must cover the ${wanted} tokens of the document, got ${found}; they are those of the whole document, not shifted`,
    { path: [name] },
  );
}

/** Refuses an id of which a typed array would make another number. */
function noToken(found: unknown, position: number): ValidationError {
  return new ValidationError(
    `position ${position} of the document must be a token id, got ${describeValue(found)}`,
    {
      path: ["document", position],
    },
  );
}

function checkWeights(weights: ArrayLike<number>): void {
  const index = Array.from(weights).findIndex((weight) => !Number.isFinite(weight));
  if (index === -1) return;
  throw new ValidationError(
    `weights[${index}] must be a finite number, 0 for a token that is not trained on, got ${describeValue(weights[index])}`,
    { path: ["weights", index] },
  );
}

function checkChoice(name: "reduction" | "untrained", found: string, choices: readonly string[]): void {
  if (choices.includes(found)) return;
  throw new ValidationError(
    `${name} must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}, got ${describeValue(found)}`,
    { path: [name] },
  );
}

function checkMaxLength(maxLength: number): void {
  if (typeof maxLength === "number" && maxLength >= 2) return;
  throw new ValidationError(
    `maxLength must be 2 or more, got ${describeValue(maxLength)}; one token of a document predicts the next`,
    {
      path: ["maxLength"],
    },
  );
}
