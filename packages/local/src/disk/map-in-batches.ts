/** Files that are read at one time: a directory may hold more than a process may have open. */
const BATCH_SIZE = 64;

/** `Promise.all` over `items`, a limited number at a time. */
export async function mapInBatches<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    results.push(...(await Promise.all(items.slice(start, start + BATCH_SIZE).map(map))));
  }
  return results;
}
