import type { DataLayout } from "./data-layout.js";
import { entriesOf } from "./read-record.js";
import { isRunId } from "./safe-names.js";

/** Ids of the runs that have a folder in the data directory; folders of other origin are passed over. */
export async function listRunIds(layout: DataLayout): Promise<string[]> {
  const names = await entriesOf(layout.runs);
  return names.map(unescaped).filter(isRunId);
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}
