/** Size of a block of a tar archive, in bytes: headers are one, and files are filled up to whole ones. */
export const TAR_BLOCK = 512;

/** End of an archive. */
export const TAR_END = new Uint8Array(2 * TAR_BLOCK);

/** Longest name that a header holds. Names of adapters' files are short. */
const MAX_NAME_BYTES = 100;
/** Largest number in a field of eleven octal digits: the largest file in bytes, the latest time in seconds (the year 2242). */
const MAX_NUMBER = 8 ** 11 - 1;

/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * Makes the header of a regular file in the ustar format.
 *
 * @throws Error for a name or a size that does not fit into it
 */
export function tarHeader({ name, size, modifiedMs }: TarFile): Uint8Array {
  const nameBytes = new TextEncoder().encode(name);
  if (nameBytes.length > MAX_NAME_BYTES || size > MAX_NUMBER) {
    throw new Error(
      `a file of an archive must have a name of at most ${MAX_NAME_BYTES} bytes and at most ${MAX_NUMBER} bytes, got "${name}" of ${size}`,
    );
  }
  const header = Buffer.alloc(TAR_BLOCK);
  header.set(nameBytes);
  const fields = [
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    // A wrong clock may have dated a file before 1970, which has no number here.
    [136, octal(Math.min(Math.max(Math.floor(modifiedMs / 1000), 0), MAX_NUMBER), 11)],
    // The sum is taken with blanks in its own place.
    [148, " ".repeat(8)],
    [156, "0"],
    [257, "ustar\0"],
    [263, "00"],
  ] as const;
  for (const [place, text] of fields) header.write(text, place, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
