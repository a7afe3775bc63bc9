import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import { replaceFile } from "@tinkex/base/node";
import { isWholeLine, type ReadLine, rowsIn } from "./file-lines.js";

/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1 << 20;

const LINE_FEED = Buffer.from("\n");

/**
 * Drops the rows of a file from a step on, because they will be written again; the file as it was is kept as `<path>.pre_resume_NNNNNN`.
 * Rows without a whole number as their step, and lines that are no JSON, stay.
 *
 * @returns the number of rows that went
 */
export async function dropRowsFrom(path: string, step: number): Promise<number> {
  let dropped = 0;
  for await (const line of rowsIn(path)) if (stepOf(line) >= step) dropped += 1;
  if (dropped === 0) return 0;
  await keepCopy(path, `${path}.pre_resume_${String(step).padStart(6, "0")}`);
  await replaceFile(
    path,
    async (file) => {
      let waiting: Buffer[] = [];
      let size = 0;
      const write = async (): Promise<void> => {
        await file.writeFile(Buffer.concat(waiting));
        waiting = [];
        size = 0;
      };
      for await (const line of rowsIn(path)) {
        if (stepOf(line) >= step || line.bytes.toString("utf8").trim() === "") continue;
        waiting.push(line.bytes, ...(isWholeLine(line.bytes) ? [] : [LINE_FEED]));
        size += line.bytes.length;
        if (size >= WRITE_BYTES) await write();
      }
      await write();
    },
    { isPrivate: false },
  );
  return dropped;
}

function stepOf({ row }: ReadLine): number {
  return Number.isInteger(row?.step) ? Number(row?.step) : Number.NEGATIVE_INFINITY;
}

/** Copies a file to a name that nothing has: two crashes behind one checkpoint leave two files. */
async function keepCopy(path: string, name: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    try {
      return await copyFile(path, count === 1 ? name : `${name}_${count}`, constants.COPYFILE_EXCL);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}
