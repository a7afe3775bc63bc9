import { fstatSync } from "node:fs";

/** Facts about an open file by which another file, and other bytes in the same one, are told from it. Times in nanoseconds. */
export interface FileIdentity {
  readonly size: number;
  readonly mtimeNs: string;
  /** Moves with every write, also of a tool that puts `mtimeNs` back, and when a name of the file is added or taken away. */
  readonly ctimeNs: string;
  readonly inode: string;
}

/** Tells what an open file is at present, whatever its name leads to by now. */
export function identityOf(descriptor: number): FileIdentity {
  const { size, mtimeNs, ctimeNs, ino } = fstatSync(descriptor, { bigint: true });
  return {
    size: Number(size),
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
    inode: String(ino),
  };
}
