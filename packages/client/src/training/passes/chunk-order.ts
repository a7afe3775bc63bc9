/** How the requests of one training call are sent. */
export interface ChunkSender<Sent> {
  readonly count: number;
  /** Whether they may travel at the same time. */
  readonly together: boolean;
  send(index: number): Promise<Sent>;
}

/** What became of the requests of one call. */
export interface ChunkOutcome<Sent> {
  /** Results of those that were accepted, by index. */
  readonly accepted: ReadonlyMap<number, Sent>;
  /** Errors of those that failed, by index. */
  readonly failed: ReadonlyMap<number, unknown>;
  /** Indices that were never begun. */
  readonly unsent: readonly number[];
  /** The first error. */
  readonly error: unknown;
}

/**
 * Sends the requests of one call. One after the other; or the later ones together and the first one last: the server works in
 * order and so starts when everything is there. Stops at the first failure.
 */
export async function sendChunks<Sent>(sender: ChunkSender<Sent>): Promise<ChunkOutcome<Sent>> {
  const accepted = new Map<number, Sent>();
  const failed = new Map<number, unknown>();
  const attempt = async (index: number): Promise<void> => {
    try {
      accepted.set(index, await sender.send(index));
    } catch (cause) {
      failed.set(index, cause);
    }
  };
  const indices = Array.from({ length: sender.count }, (_, index) => index);
  const waves = sender.together ? [indices.slice(1), indices.slice(0, 1)] : indices.map((index) => [index]);
  for (const wave of waves) {
    if (failed.size > 0) break;
    await Promise.all(wave.map(attempt));
  }
  const unsent = indices.filter((index) => !accepted.has(index) && !failed.has(index));
  const [error] = failed.values();
  return { accepted, failed, unsent, error };
}
