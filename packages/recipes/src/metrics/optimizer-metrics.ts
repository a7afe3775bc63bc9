/** Metrics of the optimizer that others already tell. */
const KNOWN: readonly string[] = ["learning_rate", "step"];

/** Metrics of an update under the names that runs have: `optim/grad_norm` of `grad_norm:mean`. */
export function optimizerMetrics(metrics: Readonly<Record<string, number>> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([key, value]) => {
      const [name = key] = key.split(":", 1);
      return KNOWN.includes(name) ? [] : [[`optim/${name}`, value]];
    }),
  );
}
