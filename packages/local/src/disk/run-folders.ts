import type { DataLayout } from "./data-layout.js";
import { isRunId } from "./data-layout.js";
import type { RecordReader } from "./record-reader.js";

/** Ids of the runs that have a folder in the data directory; folders of other origin are passed over. */
export async function listRunIds(layout: DataLayout, reader: RecordReader): Promise<string[]> {
  const names = await reader.foldersIn(layout.runs);
  // A folder may also be named by another spelling of an id than the one we escape it to.
  return names.flatMap((name) => {
    const id = unescaped(name);
    return isRunId(id) && layout.runFolderName(id) === name ? [id] : [];
  });
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}
