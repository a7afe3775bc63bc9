/** Tells whether this host stores numbers as the wire does: every array on the wire is little-endian, other hosts must swap. */
export const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Copies elements of `elementBytes` each with their bytes in the opposite order. */
export function swapped(bytes: Uint8Array, elementBytes: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  for (let start = 0; start < copy.length; start += elementBytes)
    copy.subarray(start, start + elementBytes).reverse();
  return copy;
}
