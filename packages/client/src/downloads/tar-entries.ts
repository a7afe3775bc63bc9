import { describeValue, ResponseError } from "@tinkex/base";
import { ByteReader } from "./byte-reader.js";
import { type ExtendedHeader, readExtendedHeader } from "./tar-extended-header.js";

/** A file or folder of a tar archive. */
export interface TarEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
  readonly byteLength: number;
  /** Gives the content once; what is not read is passed over. */
  content(): AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** Extended headers hold names; those of an attacker may hold anything. */
const MAX_EXTENDED_BYTES = 64 * 1024;
/** Headers in a row that describe an entry. */
const MAX_DESCRIPTIONS = 8;
/** Refused kinds of entries, by their type flag. */
const REFUSED: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
  K: "a link",
  S: "a sparse file",
};

/**
 * Reads the files and folders of a tar archive (POSIX ustar and pax, GNU long names), one after the other.
 *
 * @throws ResponseError for anything else in it, and for an archive that is damaged or ends early
 */
export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  try {
    yield* entriesOf(reader);
  } finally {
    await reader.close();
  }
}

async function* entriesOf(reader: ByteReader): AsyncGenerator<TarEntry> {
  let extended: ExtendedHeader = {};
  let descriptions = 0;
  for (;;) {
    const block = await reader.take(BLOCK);
    if (isZero(block)) break;
    const header = readHeader(block);
    const { flag } = header;
    if (flag === "x" || flag === "L" || flag === "g") {
      descriptions += 1;
      if (header.byteLength > MAX_EXTENDED_BYTES || descriptions > MAX_DESCRIPTIONS) {
        throw damaged("has extended headers that are too long");
      }
      const body = await reader.take(header.byteLength);
      await reader.skip(padding(header.byteLength));
      const more = readExtendedHeader(flag, body);
      if (flag !== "g") extended = { ...extended, ...more };
      continue;
    }
    const { name = header.name, byteLength = header.byteLength } = extended;
    extended = {};
    descriptions = 0;
    const kind = kindOf(flag, name);
    if (kind === "folder" && byteLength > 0) throw damaged("has a folder with content");
    let left = byteLength;
    async function* content(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await reader.some(left);
        left -= piece.byteLength;
        yield piece;
      }
    }
    yield { name, kind, byteLength, content };
    await reader.skip(left + padding(byteLength));
  }
  // The end is two blocks of zeros, and what follows is padding.
  if (!isZero(await reader.take(BLOCK))) throw damaged("is damaged");
  await reader.drain();
}

function kindOf(flag: string, name: string): "file" | "folder" {
  if (flag === "5") return "folder";
  // Before POSIX a folder was a name with a slash at its end.
  if (flag === "\0" && name.endsWith("/")) return "folder";
  if (flag === "0" || flag === "\0" || flag === "7") return "file";
  throw new ResponseError(
    `the checkpoint has ${describeValue(name)}, ${REFUSED[flag] ?? "an entry of an unknown kind"}, which is refused`,
  );
}

interface Header {
  readonly name: string;
  readonly flag: string;
  readonly byteLength: number;
}

function readHeader(block: Uint8Array): Header {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (readOctal(block.subarray(148, 156)) !== sum) throw damaged("is none, or damaged");
  const byteLength = readSize(block.subarray(124, 136));
  const isUstar = Buffer.from(block.subarray(257, 263)).toString("latin1") === "ustar\0";
  const prefix = isUstar ? readText(block.subarray(345, 500)) : "";
  const name = readText(block.subarray(0, 100));
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    flag: String.fromCharCode(block[156] ?? 0),
    byteLength,
  };
}

function readOctal(field: Uint8Array): number {
  const end = field.findIndex(
    (byte, index) => index > 0 && (byte === 0 || (byte === 32 && field[index - 1] !== 32)),
  );
  const digits = Buffer.from(end === -1 ? field : field.subarray(0, end))
    .toString("latin1")
    .trim();
  if (digits === "" || [...digits].some((digit) => digit < "0" || digit > "7")) return Number.NaN;
  return Number.parseInt(digits, 8);
}

/** A size is octal, or binary where that is too short (GNU). */
function readSize(field: Uint8Array): number {
  const [first = 0, ...rest] = field;
  const size = first === 0x80 ? rest.reduce((total, byte) => total * 256 + byte, 0) : readOctal(field);
  if (!Number.isSafeInteger(size)) throw damaged("has an entry without a size");
  return size;
}

/** Text up to the first zero byte. */
function readText(field: Uint8Array): string {
  const end = field.indexOf(0);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      end === -1 ? field : field.subarray(0, end),
    );
  } catch {
    throw damaged("has a name that is no UTF-8");
  }
}

function padding(byteLength: number): number {
  return (BLOCK - (byteLength % BLOCK)) % BLOCK;
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Makes the error for an archive that cannot be read. */
function damaged(how: string): ResponseError {
  return new ResponseError(`the tar archive of the checkpoint ${how}`);
}
