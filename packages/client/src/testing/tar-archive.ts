/** An entry of an archive as a test writes it, honest or not. */
export interface TarPart {
  readonly name: string | Uint8Array;
  readonly content?: Uint8Array | string;
  /** Type flag; a file's unless given. */
  readonly flag?: string;
  /** Length that the header states; that of the content unless given. */
  readonly byteLength?: number;
  readonly linkTo?: string;
  /** First part of the name (ustar). */
  readonly prefix?: string;
  /** Damages the checksum. */
  readonly isDamaged?: boolean;
}

const BLOCK = 512;

/** Writes a tar archive (ustar), with the two empty blocks at its end. */
export function tarArchive(...parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.map(tarEntry), Buffer.alloc(2 * BLOCK)]);
}

/** Writes one entry. */
export function tarEntry(part: TarPart): Buffer {
  const content = Buffer.from(part.content ?? "");
  const header = Buffer.alloc(BLOCK);
  header.set(Buffer.from(part.name), 0);
  header.write("0000600\0", 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  header.write(`${(part.byteLength ?? content.byteLength).toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write(part.flag ?? "0", 156, "latin1");
  header.write(part.linkTo ?? "", 157, "utf8");
  header.write("ustar\x0000", 257, "latin1");
  header.write(part.prefix ?? "", 345, "utf8");
  const sum = header.reduce((total, byte) => total + byte, part.isDamaged === true ? 1 : 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.byteLength % BLOCK)) % BLOCK)]);
}

/** Writes a pax header for the entry after it. */
export function paxHeader(records: Readonly<Record<string, string>>, flag = "x"): TarPart {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length = String(length).length + rest;
    return `${length} ${key}=${value}\n`;
  });
  return { name: "pax", flag, content: lines.join("") };
}
