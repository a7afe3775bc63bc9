/** Widens bfloat16 values: each is the upper half of the float32 of the same value. */
export function widenBfloat16(halves: Uint16Array): Float32Array {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) bits[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(bits.buffer);
}

/** Widens IEEE 754 binary16 values: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. */
export function widenFloat16(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) values[i] = float16Value(halves[i] ?? 0);
  return values;
}

function float16Value(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
