import type { TensorData } from "@tinkex/types";
import type { EngineDatum, EngineModel } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import { type Loss, optionalTensors, perTokenInputs } from "../losses/loss-definition.js";
import { LOSSES } from "../losses/loss-table.js";
import type { ReceivedDatum } from "./pass-body.js";
import { nameList, type ResolvedLoss } from "./resolve-loss.js";
import { densify, toFiniteFloat32, toTokenIds } from "./tensor-values.js";

/** Elements that the sparse tensors of one request may have in all once every one is in place. */
const MAX_DENSIFIED = 2 ** 24;

/**
 * Checks the training examples of a request against its loss and the model, and casts their tensors.
 *
 * @throws OperationFailure `user` naming the datum, the tensor and the element
 */
export function toEngineData(
  data: readonly ReceivedDatum[],
  resolved: ResolvedLoss,
  model: EngineModel,
): EngineDatum[] {
  let densified = 0;
  for (const { loss_fn_inputs } of data) {
    for (const { sparse_crow_indices, shape = [] } of Object.values(loss_fn_inputs)) {
      if (sparse_crow_indices !== undefined) densified += (shape[0] ?? 0) * (shape[1] ?? 0);
    }
  }
  if (densified > MAX_DENSIFIED) {
    throw userFailure(
      `the sparse tensors of data must have at most ${MAX_DENSIFIED} elements in a request, zeros included, got ${densified}; send fewer datums, or dense tensors of the columns that count`,
    );
  }
  return data.map((datum, index) => toEngineDatum(datum, index, resolved, model));
}

/**
 * Checks one training example against its loss and the model, and casts its tensors.
 *
 * @param index - which of the request's data it is, for messages
 * @throws OperationFailure `user` naming the datum, the tensor and the element
 */
export function toEngineDatum(
  datum: ReceivedDatum,
  index: number,
  resolved: ResolvedLoss,
  model: EngineModel,
): EngineDatum {
  const { loss } = resolved;
  const place = `data[${index}]`;
  const tokens = promptTokens(datum.model_input, `${place}.model_input`, model);
  const inputs = datum.loss_fn_inputs;
  checkKeys(Object.keys(inputs), `${place}.loss_fn_inputs`, loss);
  const { shape, ...targets } = targetsOf(
    inputs.target_tokens,
    tokens.length,
    `${place}.loss_fn_inputs.target_tokens`,
    loss,
    model,
  );
  const lossInputs: Record<string, Float32Array> = {};
  for (const key of perTokenInputs(loss)) {
    const tensor = inputs[key];
    if (tensor !== undefined) {
      lossInputs[key] = floatsOf(tensor, { shape, ...targets }, `${place}.loss_fn_inputs.${key}`);
    }
  }
  checkAscending(lossInputs, resolved, `${place}.loss_fn_inputs`);
  return { tokens, ...targets, lossInputs };
}

/** All tokens of a prompt that holds text only, checked against vocabulary and context length. */
export function promptTokens(
  input: ReceivedDatum["model_input"],
  place: string,
  model: EngineModel,
): Int32Array {
  const parts = input.chunks.map((chunk, index) => {
    const tokens: unknown = "tokens" in chunk ? chunk.tokens : undefined;
    if (!(Array.isArray(tokens) || tokens instanceof Int32Array)) {
      throw userFailure(`${place}.chunks[${index}] must be text, which is all this model reads`);
    }
    return toTokenIds(tokens, model.vocabularySize, `${place}.chunks[${index}].tokens`);
  });
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length === 0) throw userFailure(`${place} must hold at least one token, got none`);
  if (length > model.contextLength) {
    throw userFailure(
      `${place} must have at most ${model.contextLength} tokens, the window of ${model.name}, got ${length}`,
    );
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const tokens = new Int32Array(length);
  let offset = 0;
  for (const part of parts) {
    tokens.set(part, offset);
    offset += part.length;
  }
  return tokens;
}

function checkKeys(given: readonly string[], place: string, loss: Loss): void {
  const required = ["target_tokens", ...loss.required];
  const missing = required.find((key) => !given.includes(key));
  if (missing !== undefined)
    throw userFailure(`${place}.${missing} is missing; ${loss.name} needs ${nameList(required)}`);
  const known = [...required, ...optionalTensors(loss)];
  const unknown = given.find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw userFailure(`${place}.${unknown} is not read by ${loss.name}; it reads ${nameList(known)}`);
}

interface Targets extends Pick<EngineDatum, "targets" | "targetsPerToken" | "targetsAreMatrix"> {
  readonly shape: readonly number[];
}

function targetsOf(
  tensor: TensorData | undefined,
  length: number,
  place: string,
  loss: Loss,
  model: EngineModel,
): Targets {
  if (tensor === undefined) throw userFailure(`${place} is missing`);
  const shape = tensor.shape ?? [tensor.data.length];
  const [rows, perToken = 1] = shape;
  if (shape.length === 0 || shape.length > 2 || rows !== length) {
    throw userFailure(
      `${place} must have ${length} as its first size, as many as input tokens, got shape [${shape.join(", ")}]`,
    );
  }
  const isMatrix = shape.length === 2;
  if (isMatrix && loss.takesMatrix !== true) {
    const takers = Object.values<Loss>(LOSSES).filter(({ takesMatrix }) => takesMatrix === true);
    const names = nameList(takers.map(({ name }) => name));
    throw userFailure(`${place} must be (N,) for ${loss.name}, got (N, K), which only ${names} takes`);
  }
  if (perToken < 1 || perToken > model.vocabularySize) {
    throw userFailure(`${place} must name 1 to ${model.vocabularySize} targets a token, got ${perToken}`);
  }
  return {
    targets: toTokenIds(densify(tensor, place), model.vocabularySize, place),
    targetsPerToken: perToken,
    targetsAreMatrix: isMatrix,
    shape,
  };
}

function floatsOf(tensor: TensorData, targets: Targets, place: string): Float32Array {
  const shape = tensor.shape ?? [tensor.data.length];
  const isSame = shape.join() === targets.shape.join();
  // A single target a token may be written (N) in one tensor and (N, 1) in the other.
  const isSameColumn =
    targets.targetsPerToken === 1 && shape[0] === targets.shape[0] && (shape[1] ?? 1) === 1;
  if (!isSame && !isSameColumn) {
    throw userFailure(
      `${place} must have the shape of target_tokens, [${targets.shape.join(", ")}], got [${shape.join(", ")}]`,
    );
  }
  return toFiniteFloat32(densify(tensor, place), place);
}

/** Checks the pair of settings that must be in order, where a tensor wins over the configuration token by token. */
function checkAscending(
  tensors: Readonly<Record<string, Float32Array>>,
  { loss, config }: ResolvedLoss,
  place: string,
): void {
  if (loss.ascending === undefined) return;
  const [lowKey, highKey] = loss.ascending;
  const [lows, highs] = [tensors[lowKey], tensors[highKey]];
  const length = lows?.length ?? highs?.length ?? 0;
  for (let token = 0; token < length; token += 1) {
    const low = lows?.[token] ?? config[lowKey] ?? Number.NEGATIVE_INFINITY;
    const high = highs?.[token] ?? config[highKey] ?? Number.POSITIVE_INFINITY;
    if (low > high)
      throw userFailure(`${place}.${lowKey}[${token}] must be at most ${highKey} ${high}, got ${low}`);
  }
}
