import { headerLengthBytes } from "./safetensors-header.js";
import type { FloatTensor } from "./safetensors-reader.js";

/** The format asks for data that starts at a multiple of eight bytes; readers may map it in place. */
const alignment = 8;

/** A safetensors file of float32 tensors, in the order given. @param metadata free text pairs, e.g. `format: "pt"` */
export function encodeSafetensors(
  tensors: readonly (FloatTensor & { readonly name: string })[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let dataBytes = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [dataBytes, dataBytes + data.byteLength] };
    dataBytes += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / alignment) * alignment;
  const file = new Uint8Array(headerLengthBytes + headerBytes + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, headerLengthBytes, headerLengthBytes + headerBytes);
  file.set(json, headerLengthBytes);
  let offset = headerLengthBytes + headerBytes;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    offset += data.byteLength;
  }
  return file;
}
