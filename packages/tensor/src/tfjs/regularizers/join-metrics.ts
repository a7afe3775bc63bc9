import { ValidationError } from "@tinkex/base";

/** Metrics, and whose they are to the caller. */
export type OwnedMetrics = readonly [owner: string, metrics: Readonly<Record<string, number>>];

/** @throws ValidationError for two of one name, of which one would take the place of the other */
export function joinMetrics(metrics: readonly OwnedMetrics[]): Record<string, number> {
  const owners = new Map<string, string>();
  for (const [owner, owned] of metrics) {
    for (const name of Object.keys(owned)) {
      const other = owners.get(name);
      if (other !== undefined) {
        throw new ValidationError(
          `two metrics are named ${JSON.stringify(name)}, one of ${other} and one of ${owner}: give one another name`,
          { path: ["metrics", name] },
        );
      }
      owners.set(name, owner);
    }
  }
  return Object.assign({}, ...metrics.map(([, owned]) => owned));
}
