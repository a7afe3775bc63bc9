import { setTimeout as delay } from "node:timers/promises";

/** Resources that keep this process alive, by kind. */
export function activeResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Kinds of which there are more than before, with how many more. */
function moreThan(before: ReadonlyMap<string, number>): Record<string, number> {
  const more = [...activeResources()].map(
    ([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const,
  );
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

/** Waits until there are no more resources than before, for some seconds at most; tells what is left. */
export async function settledResources(before: ReadonlyMap<string, number>): Promise<Record<string, number>> {
  let left = moreThan(before);
  // Looked at between the sleeps, whose own timers would count otherwise.
  for (let looks = 0; looks < 200 && Object.keys(left).length > 0; looks += 1) {
    await delay(50);
    left = moreThan(before);
  }
  return left;
}
