import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeValue, ResponseError } from "@tinkex/base";
import type { DownloadedFile } from "./download-options.js";
import type { DownloadWork } from "./download-work.js";
import { SafeNames } from "./safe-names.js";
import { type TarEntry, tarEntries } from "./tar-entries.js";
import { unpacked } from "./unpacked.js";

/**
 * Unpacks an archive into a folder of our own that is empty. Every file is made anew, so that nothing is followed or written over.
 *
 * @throws ResponseError for an archive that holds anything but files and folders with safe names, or more than the limits allow
 */
export async function extractArchive(
  archive: string,
  folder: string,
  { limits, signal, isFlushed }: Pick<DownloadWork, "limits" | "signal" | "isFlushed">,
): Promise<DownloadedFile[]> {
  const names = new SafeNames(limits.maxFiles);
  const files: DownloadedFile[] = [];
  let totalBytes = 0;
  for await (const entry of tarEntries(unpacked(archive, limits))) {
    signal.throwIfAborted();
    const parts = names.add(entry.name, entry.kind, describeValue(entry.name));
    const path = join(folder, ...parts);
    if (entry.kind === "folder") {
      await mkdir(path, { recursive: true, mode: 0o700 });
      continue;
    }
    totalBytes += entry.byteLength;
    if (totalBytes > limits.maxBytes) {
      throw new ResponseError(
        `the files of the checkpoint have more than the ${limits.maxBytes} bytes of maxBytes`,
      );
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeEntry(path, entry, signal, isFlushed);
    files.push({ name: parts.join("/"), byteLength: entry.byteLength });
  }
  if (files.length === 0) throw new ResponseError("the archive of the checkpoint has no files");
  return files;
}

async function writeEntry(
  path: string,
  entry: TarEntry,
  signal: AbortSignal,
  isFlushed: boolean,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const piece of entry.content()) {
      signal.throwIfAborted();
      await file.writeFile(piece);
    }
    if (isFlushed) await file.sync();
  } finally {
    await file.close();
  }
}
