/**
 * The memory of all typed arrays in a result that is handed over and not used again, so that it moves to the other
 * thread without being copied. Arrays that are windows into a larger buffer are left to be copied.
 */
export function resultBuffers(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) found.add(buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) resultBuffers(part, found);
  }
  return [...found];
}
