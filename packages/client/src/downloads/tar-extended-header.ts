import { ResponseError } from "@tinkex/base";

/** Parts of an entry's description that its own header has no room for. */
export interface ExtendedHeader {
  readonly name?: string;
  readonly byteLength?: number;
}

/**
 * Reads a header that describes the entry after it (pax `x`, GNU `L`), or all entries (pax `g`).
 *
 * @throws ResponseError for one that cannot be read, or that would change how content is stored
 */
export function readExtendedHeader(flag: "x" | "L" | "g", body: Uint8Array): ExtendedHeader {
  if (flag === "L") return { name: decoded(body.at(-1) === 0 ? body.subarray(0, -1) : body) };
  let found: ExtendedHeader = {};
  for (const [key, value] of paxRecords(body)) {
    if (key.startsWith("GNU.sparse.")) throw unreadable("has a sparse file");
    if (key !== "path" && key !== "size") continue;
    if (flag === "g") throw unreadable("gives all its entries one name or size");
    if (key === "path") found = { ...found, name: value };
    else found = { ...found, byteLength: sizeOf(value) };
  }
  return found;
}

/** Records are `<length> <key>=<value>` and a line feed; the length counts all of that. */
function* paxRecords(body: Uint8Array): Generator<readonly [key: string, value: string]> {
  for (let at = 0; at < body.byteLength; ) {
    const space = body.indexOf(0x20, at);
    const length = sizeOf(decoded(body.subarray(at, space === -1 ? at : space)));
    const end = at + length;
    const equals = body.indexOf(0x3d, space);
    if (end > body.byteLength || equals === -1 || equals >= end - 1 || body[end - 1] !== 0x0a) {
      throw unreadable("has an extended header that cannot be read");
    }
    yield [decoded(body.subarray(space + 1, equals)), decoded(body.subarray(equals + 1, end - 1))];
    at = end;
  }
}

function sizeOf(digits: string): number {
  const size = Number(digits);
  const isPlain = digits !== "" && [...digits].every((digit) => digit >= "0" && digit <= "9");
  if (!isPlain || !Number.isSafeInteger(size)) throw unreadable("has an extended header that cannot be read");
  return size;
}

/** A zero byte within a name is left in it, for whoever looks at names. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable("has a name that is no UTF-8");
  }
}

function unreadable(how: string): ResponseError {
  return new ResponseError(`the tar archive of the checkpoint ${how}`);
}
