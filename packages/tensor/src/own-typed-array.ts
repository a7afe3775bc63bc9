/** Prototype that the typed arrays of this realm share; its tag knows those of all realms. */
const TYPED_ARRAY: object = Object.getPrototypeOf(Uint8Array.prototype);

/** Names the class of a typed array, of a subclass and of another realm too; undefined for a DataView. */
export function typedArrayName(view: ArrayBufferView): string | undefined {
  const name: unknown = Reflect.get(TYPED_ARRAY, Symbol.toStringTag, view);
  return typeof name === "string" ? name : undefined;
}

/** Makes a view, as every class of typed arrays does. */
type TypedArrayClass = new (
  buffer: ArrayBufferLike,
  byteOffset: number,
  length: number,
) => ArrayBufferView & ArrayLike<unknown>;

/**
 * Gives a typed array as one of this realm, on the same memory. Frames, `node:vm` and test runners such as Jest have classes of their
 * own, of which `instanceof` says no: a `Float32Array` of theirs would be taken for integers.
 *
 * @param view - its memory must be there
 * @param name - its class
 */
export function ownTypedArray(view: ArrayBufferView, name: string): ArrayBufferView & ArrayLike<unknown> {
  // A view that has a name as a typed array is array-like.
  const array = view as ArrayBufferView & ArrayLike<unknown>;
  const Own: unknown = Reflect.get(globalThis, name);
  if (typeof Own !== "function" || view instanceof Own) return array;
  // The global of that name is the class, which Reflect does not tell.
  return new (Own as TypedArrayClass)(view.buffer, view.byteOffset, array.length);
}
