/** Every array on the wire is little-endian; hosts that are not must swap. */
const hostIsLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

type NumericArray = Float32Array | Int32Array | BigInt64Array;

/** The elements of `array` as little-endian bytes: the array's own memory where the host allows. */
export function bytesOfElements(array: NumericArray): Uint8Array {
  const { buffer, byteLength } = array;
  // A view of a whole buffer takes half the time of a view of a part.
  const bytes =
    byteLength === buffer.byteLength
      ? new Uint8Array(buffer)
      : new Uint8Array(buffer, array.byteOffset, byteLength);
  return hostIsLittleEndian ? bytes : swapped(bytes, array.BYTES_PER_ELEMENT);
}

/** Memory of this host's elements in the order of the wire: the same memory where the host allows. */
export function littleEndian(bytes: Uint8Array, elementBytes: number): Uint8Array {
  return hostIsLittleEndian ? bytes : swapped(bytes, elementBytes);
}

/** A view on `bytes` where they are aligned for float32, else a copy. The length must be a multiple of 4. */
export function float32Of(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 4);
  return new Float32Array(source.buffer, source.byteOffset, source.byteLength / 4);
}

/** The same for int32. */
export function int32Of(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 4);
  return new Int32Array(source.buffer, source.byteOffset, source.byteLength / 4);
}

/** The same for int64; the length must be a multiple of 8. */
export function int64Of(bytes: Uint8Array): BigInt64Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 8);
  return new BigInt64Array(source.buffer, source.byteOffset, source.byteLength / 8);
}

/** bfloat16 is the upper half of a float32. The length must be a multiple of 2. */
export function float32OfBfloat16(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(bytes.byteLength / 2);
  for (let index = 0; index < bits.length; index++) {
    const low = bytes[2 * index] ?? 0;
    const high = bytes[2 * index + 1] ?? 0;
    bits[index] = ((high << 24) | (low << 16)) >>> 0;
  }
  return new Float32Array(bits.buffer);
}

/** int32 elements as int64, the only integer type of records. */
export function int64OfInt32(bytes: Uint8Array): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from(int32Of(bytes), BigInt);
}

function alignedLittleEndian(bytes: Uint8Array, elementBytes: number): Uint8Array<ArrayBuffer> {
  if (!hostIsLittleEndian) return swapped(bytes, elementBytes);
  const { buffer, byteOffset, byteLength } = bytes;
  if (!(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes);
  if (byteOffset % elementBytes === 0) return new Uint8Array(buffer, byteOffset, byteLength);
  // Unlike a new typed array, this is not filled with zeros first.
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

function swapped(bytes: Uint8Array, elementBytes: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  for (let start = 0; start < copy.length; start += elementBytes)
    copy.subarray(start, start + elementBytes).reverse();
  return copy;
}
