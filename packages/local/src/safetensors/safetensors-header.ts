import { jsonTextFault, ValidationError } from "@tinkex/base";
import { isRecord } from "../json/bounded-collections.js";
import { shortened } from "../json/shortened.js";

/** Place of a tensor in a safetensors file. */
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
    `tensor "${shortened(name)}" in ${file} must be F32, F16 or BF16, got ${shortened(dtype)}; ` +
      "save the model unquantised in one of them",
  );
}

/** Bytes of the header's length field, a little-endian uint64 at the start of the file. */
export const headerLengthBytes = 8;

/** A model of a thousand tensors has a header of some hundred kilobytes. */
const maximumHeaderBytes = 16 * 2 ** 20;

const MAX_DIMENSIONS = 64;

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

/** Length in bytes of the JSON header, from the first eight bytes of the file. */
export function readHeaderLength(firstBytes: Uint8Array, fileSize: number, file: string): number {
  const length =
    firstBytes.length < headerLengthBytes
      ? Number.NaN
      : Number(new DataView(firstBytes.buffer, firstBytes.byteOffset).getBigUint64(0, true));
  if (!(length <= Math.min(maximumHeaderBytes, fileSize - headerLengthBytes))) {
    throw new ValidationError(
      `${file} is not a safetensors file, or was cut short: its header would not fit into its ${fileSize} bytes; ` +
        "download or write it again",
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
  checkOverlaps([...entries.values()], file);
  return entries;
}

function parseJsonObject(json: Uint8Array, file: string): Readonly<Record<string, unknown>> {
  const refused = (fault: string, cause?: unknown) =>
    new ValidationError(`the header of ${file} ${fault}; download or write the file again`, { cause });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(json);
  } catch (cause) {
    throw refused("is not a JSON object", cause);
  }
  const fault = jsonTextFault(text);
  if (fault !== undefined) throw refused(`has ${fault}`);
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch (cause) {
    throw refused("is not a JSON object", cause);
  }
  if (!isRecord(header)) throw refused("is not a JSON object");
  if (Object.keys(header).length !== topLevelMembers(text)) throw refused("names a tensor twice");
  return header;
}

/** Counts the members of the outermost object of valid JSON; of two with one name, the parser keeps only the last. */
function topLevelMembers(text: string): number {
  let depth = 0;
  let members = 0;
  let isInString = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (isInString) {
      if (character === "\\") position += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    else if (character === ":" && depth === 1) members += 1;
  }
  return members;
}

/** Bytes belong to one tensor: many that share them would take many times the file's size in memory. */
function checkOverlaps(entries: SafetensorsEntry[], file: string): void {
  let end = 0;
  for (const entry of entries.sort((a, b) => a.offset - b.offset)) {
    if (entry.byteLength === 0) continue;
    if (entry.offset < end) throw unsound(entry.name, "its data is that of another tensor too", file);
    end = entry.offset + entry.byteLength;
  }
}

function checkEntry(
  name: string,
  value: unknown,
  place: { readonly dataStart: number; readonly fileSize: number; readonly file: string },
): SafetensorsEntry {
  const { dtype, shape, data_offsets: offsets } = isRecord(value) ? value : {};
  if (typeof dtype !== "string" || !isIndexList(shape) || !isIndexList(offsets) || offsets.length !== 2) {
    throw unsound(name, "its header entry lacks dtype, shape or data_offsets", place.file);
  }
  const [begin = 0, end = 0] = offsets;
  const elementBytes = Object.hasOwn(bytesPerElement, dtype) ? bytesPerElement[dtype] : undefined;
  if (elementBytes === undefined) throw unreadableDtype(name, dtype, place.file);
  const expected = shape.reduce((product, length) => product * length, elementBytes);
  if (end - begin !== expected) {
    const fault = `shape [${shape.join(", ")}] of ${dtype} takes ${expected} bytes, not ${end - begin}`;
    throw unsound(name, fault, place.file);
  }
  if (place.dataStart + end > place.fileSize) {
    throw unsound(name, "its data lies beyond the end of the file", place.file);
  }
  return { name, dtype, shape, offset: place.dataStart + begin, byteLength: expected };
}

function isIndexList(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_DIMENSIONS &&
    value.every((index) => Number.isSafeInteger(index) && index >= 0)
  );
}

function unsound(name: string, fault: string, file: string): ValidationError {
  return new ValidationError(
    `tensor "${shortened(name)}" in ${file}: ${fault}; download or write the file again`,
  );
}
