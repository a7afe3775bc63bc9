const OBJECT_BYTES = 32;
const FIELD_BYTES = 16;

/** Estimates how many bytes a parsed record takes in memory, to bound what is kept of such. */
export function weightOf(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") bytes += 2 * next.length;
    if (typeof next !== "object" || next === null) continue;
    bytes += OBJECT_BYTES;
    if (ArrayBuffer.isView(next)) {
      bytes += next.byteLength;
      continue;
    }
    for (const [key, field] of Object.entries(next)) {
      bytes += Array.isArray(next) ? FIELD_BYTES : FIELD_BYTES + 2 * key.length;
      if (typeof field === "string" || typeof field === "object") open.push(field);
    }
  }
  return bytes;
}
