import {
  checkKnownNames,
  DETACHED,
  describeValue,
  isDetached,
  lossInputDtypes,
  nearestName,
  type TensorDtype,
  type TensorData as TensorRecord,
  tensorLayoutFault,
} from "@tinkex/base";
import { castToFloat32, castToInt64 } from "./cast-elements.js";
import { tensorFaultError } from "./check-tensor.js";
import { typedArrayName } from "./own-typed-array.js";
import type { TensorLike } from "./tensor-like.js";
import { ownBuffers, type TensorMemory } from "./tensor-memory.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";
import { type Elements, toElements, toElementsLater } from "./to-elements.js";

/** The record a tensor travels as. */
export type TensorData = TensorRecord;

/** Options of {@link TensorData.from}. */
export interface TensorFromOptions extends TensorPlace {
  /** @defaultValue that of a typed array, else that of `key`; a plain list without either is an error */
  readonly dtype?: TensorDtype | undefined;
  /** Lengths of the dimensions. @defaultValue those of the nesting of the value */
  readonly shape?: readonly number[] | undefined;
  /** Buffers for the array of a value that must be converted. @defaultValue a buffer of its own */
  readonly memory?: TensorMemory | undefined;
}

const OPTIONS: Readonly<Record<keyof TensorFromOptions, true>> = {
  dtype: true,
  shape: true,
  memory: true,
  key: true,
  datumIndex: true,
};

/** Makes tensors from anything that holds numbers. */
export const TensorData = {
  /**
   * Casts `value` to one of the two dtypes of the API, once.
   *
   * Floating typed arrays become `float32` (rounded), integer ones `int64`; a plain list takes the dtype of its `key`, and
   * `target_tokens` is `int64` whatever holds it. Of a `tf.Tensor`, `float32` stays so, `int32` and `bool` become `int64`.
   * Typed arrays that fit are used as they are, without a copy: do not change them until the call they go into was submitted.
   *
   * @throws ValidationError naming datum, key and index, for what cannot be represented
   */
  from(value: TensorLike, options: TensorFromOptions = {}): TensorData {
    checkKnownNames(options, OPTIONS, "options");
    return cast(toElements(value, options), options);
  },

  /**
   * Casts as `from` does, also a `tf.Tensor` on a backend that answers only later, such as WebGPU; everything else is read at once.
   *
   * @throws ValidationError as {@link TensorData.from} does
   */
  async fromAsync(value: TensorLike, options: TensorFromOptions = {}): Promise<TensorData> {
    checkKnownNames(options, OPTIONS, "options");
    return cast(await toElementsLater(value, options), options);
  },

  /**
   * Widens bfloat16 numbers, which JavaScript keeps as their bits, to `float32`. Nothing is rounded.
   *
   * @param bits - 16 bits an element, as in a safetensors file or a buffer of PyTorch
   * @throws ValidationError for what is no `Uint16Array`, and for a shape that does not hold its elements
   */
  fromBFloat16(bits: Uint16Array, options: Omit<TensorFromOptions, "dtype"> = {}): TensorData {
    checkKnownNames(options, OPTIONS, "options");
    if (!ArrayBuffer.isView(bits) || typedArrayName(bits) !== "Uint16Array")
      throw tensorError(options, `fromBFloat16 takes a Uint16Array, got ${describeValue(bits)}`);
    if (isDetached(bits)) throw tensorError(options, DETACHED);
    // A bfloat16 is the upper half of a float32.
    const wide = Uint32Array.from(bits, (half) => half << 16);
    return TensorData.from(new Float32Array(wide.buffer), options);
  },
} as const;

function cast(elements: Elements, options: TensorFromOptions): TensorData {
  const dtype = options.dtype ?? dtypeOf(elements, options);
  if (elements.values instanceof Uint16Array) refuseHalves(dtype, options);
  const shape = options.shape ?? elements.shape;
  const isStated = options.dtype !== undefined || options.shape !== undefined || elements.isShapeStated;
  if (isStated) checkStated(dtype, shape, options);
  const memory = options.memory ?? ownBuffers;
  const data =
    dtype === "float32"
      ? castToFloat32(elements.values, options, memory)
      : castToInt64(elements.values, options, memory);
  // The cast has seen every element, and a shape that was counted holds them: only what somebody stated can be wrong, or be theirs.
  if (options.shape === undefined && !elements.isShapeStated) return { data, dtype, shape };
  const dense: TensorData = shape === undefined ? { data, dtype } : { data, dtype, shape: shape.slice() };
  const tensor = elements.sparse === undefined ? dense : { ...dense, ...elements.sparse };
  const fault = tensorLayoutFault(tensor);
  if (fault !== undefined) throw tensorFaultError(options, fault);
  return tensor;
}

/** Checks what somebody may have stated before the cast, whose errors would speak of the elements. */
function checkStated(dtype: TensorDtype, shape: unknown, place: TensorPlace): void {
  if (dtype !== "int64" && dtype !== "float32")
    throw tensorError(place, `dtype must be "int64" or "float32", got ${describeValue(dtype)}`);
  if (shape !== undefined && !Array.isArray(shape))
    throw tensorError(place, `shape must be a list of sizes, got ${describeValue(shape)}`);
}

function dtypeOf(elements: Elements, place: TensorPlace): TensorDtype {
  const { key } = place;
  const byKey = key !== undefined && Object.hasOwn(lossInputDtypes, key) ? lossInputDtypes[key] : undefined;
  // Token ids are integers, even when a float array holds them.
  if (byKey === "int64") return byKey;
  if (elements.values instanceof Uint16Array) refuseHalves(byKey, place);
  const dtype = elements.dtype ?? byKey;
  if (dtype !== undefined) return dtype;
  throw tensorError(place, `the dtype of a plain list is not known here; ${dtypeRemedy(key)}`);
}

/** Refuses bits of 16 where floats are wanted: they may be integers or halves of floats, which are told apart by nobody here. */
function refuseHalves(dtype: TensorDtype | undefined, place: TensorPlace): void {
  if (dtype !== "float32") return;
  const remedy = "TensorData.fromBFloat16 reads bits of bfloat16, Float32Array.from integers";
  throw tensorError(place, `a Uint16Array is no float32; ${remedy}`);
}

function dtypeRemedy(key: string | undefined): string {
  if (key === undefined) return "pass `dtype`, or a typed array";
  const known = Object.keys(lossInputDtypes);
  const nearest = nearestName(key, known);
  const meant = nearest === undefined ? "" : `did you mean "${nearest}"? `;
  return `${meant}keys whose lists have one are ${known.join(", ")}; pass a typed array or a TensorData for others`;
}
