/** One array of its own from the pieces of a body, so that no view keeps a socket's buffer alive. */
export function joinChunks(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const whole = new Uint8Array(byteLength);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
