import { ValidationError } from "@tinkex/base";
import { z } from "zod";

/** Where a tensor lies in a safetensors file. */
export interface SafetensorsEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** First byte, counted from the start of the file. */
  readonly offset: number;
  readonly byteLength: number;
}

/** @returns the error for a tensor of a dtype that is not widened to float32, e.g. one of the 8-bit floats */
export function unreadableDtype(name: string, dtype: string, file: string): ValidationError {
  return new ValidationError(
    `Tensor "${name}" in ${file} is ${dtype}; F32, F16 and BF16 can be read. ` +
      "Save the model unquantised in one of them.",
  );
}

/** Bytes of the header's length field, a little-endian uint64 at the start of the file. */
export const headerLengthBytes = 8;

/** The reference implementation refuses longer headers too. */
const maximumHeaderBytes = 100_000_000;

const bytesPerElement: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  I64: 8,
  U64: 8,
  F64: 8,
};

const index = z.number().int().nonnegative();
const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(index),
  data_offsets: z.tuple([index, index]),
});
const headerSchema = z.record(z.string(), z.unknown());

/** Length in bytes of the JSON header, from the first eight bytes of the file. */
export function readHeaderLength(firstBytes: Uint8Array, fileSize: number, file: string): number {
  const length =
    firstBytes.length < headerLengthBytes
      ? Number.NaN
      : Number(new DataView(firstBytes.buffer, firstBytes.byteOffset).getBigUint64(0, true));
  if (!(length <= Math.min(maximumHeaderBytes, fileSize - headerLengthBytes))) {
    throw new ValidationError(
      `${file} is not a safetensors file, or was cut short: its header would not fit into its ${fileSize} bytes. ` +
        "Download or write it again.",
    );
  }
  return length;
}

/**
 * Reads the JSON header: tensors by name, with every offset checked against the shape and the size of the file, so that
 * reading a tensor later cannot run over an edge.
 *
 * @throws ValidationError naming the file and the tensor
 */
export function parseHeader(json: Uint8Array, fileSize: number, file: string): Map<string, SafetensorsEntry> {
  const dataStart = headerLengthBytes + json.length;
  const entries = new Map<string, SafetensorsEntry>();
  for (const [name, value] of Object.entries(parseJsonObject(json, file))) {
    if (name === "__metadata__") continue;
    entries.set(name, checkEntry(name, value, { dataStart, fileSize, file }));
  }
  return entries;
}

function parseJsonObject(json: Uint8Array, file: string): Record<string, unknown> {
  try {
    return headerSchema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)));
  } catch (cause) {
    throw new ValidationError(
      `The header of ${file} is not a JSON object. Download or write the file again.`,
      {
        cause,
      },
    );
  }
}

function checkEntry(
  name: string,
  value: unknown,
  place: { readonly dataStart: number; readonly fileSize: number; readonly file: string },
): SafetensorsEntry {
  const fail = (fault: string, cause?: unknown) =>
    new ValidationError(`Tensor "${name}" in ${place.file}: ${fault}. Download or write the file again.`, {
      cause,
    });

  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw fail("its header entry lacks dtype, shape or data_offsets", parsed.error);
  const { dtype, shape, data_offsets } = parsed.data;
  const [begin, end] = data_offsets;
  const elementBytes = bytesPerElement[dtype];
  if (elementBytes === undefined) throw unreadableDtype(name, dtype, place.file);
  const expected = shape.reduce((product, length) => product * length, elementBytes);
  if (end - begin !== expected) {
    throw fail(`shape [${shape.join(", ")}] of ${dtype} takes ${expected} bytes, not ${end - begin}`);
  }
  if (place.dataStart + end > place.fileSize) throw fail("its data lies beyond the end of the file");
  return { name, dtype, shape, offset: place.dataStart + begin, byteLength: expected };
}
