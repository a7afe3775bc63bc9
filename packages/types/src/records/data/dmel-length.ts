import { ValidationError } from "@tinkex/base";
import { fromBase64 } from "./base64.js";

/** First byte of a container whose elements are all equal. */
const CONSTANT_MARKER = 0xfe;
const LAST_DTYPE = 7;
/** A dimension takes at most nine bytes of seven bits: 63 bits. */
const MAX_VARINT_BYTES = 9;

/**
 * Reads the number of tokens of an audio chunk: the first dimension in the header of its TensorContainer, which is an optional
 * marker byte, a dtype byte, the number of dimensions and the dimensions as LEB128 varints; what follows is opaque.
 *
 * @throws ValidationError when the header is cut short, names an unknown dtype, or has no dimension
 */
export function dmelLength(dmel: Uint8Array | string, chunkIndex: number): number {
  const shape = tensorContainerShape(typeof dmel === "string" ? fromBase64(dmel) : dmel, chunkIndex);
  const [length] = shape;
  if (length === undefined) throw headerError(chunkIndex, "it has no dimensions");
  return length;
}

/** Reads the dimensions in the header of a serialised TensorContainer. */
export function tensorContainerShape(bytes: Uint8Array, chunkIndex: number): number[] {
  let offset = bytes[0] === CONSTANT_MARKER ? 1 : 0;
  const dtype = bytes[offset];
  offset += 1;
  if (dtype === undefined) throw headerError(chunkIndex, "it ends before the dtype");
  if (dtype > LAST_DTYPE) throw headerError(chunkIndex, `dtype ${dtype} is unknown`);
  const readVarint = (): number => {
    let value = 0;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const byte = bytes[offset];
      offset += 1;
      if (byte === undefined) throw headerError(chunkIndex, "it is cut short");
      value += (byte & 0x7f) * 2 ** (7 * count);
      if (byte < 0x80) return value;
    }
    throw headerError(chunkIndex, "a dimension is longer than 63 bits");
  };
  const dimensions = readVarint();
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index += 1) shape.push(readVarint());
  return shape;
}

function headerError(chunkIndex: number, fault: string): ValidationError {
  return new ValidationError(`chunks[${chunkIndex}].dmel: not a TensorContainer header, ${fault}`, {
    path: ["chunks", chunkIndex, "dmel"],
  });
}
