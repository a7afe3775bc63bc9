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
  /** Indices that were sent and failed. */
  readonly failed: readonly number[];
  /** Indices that were never sent. */
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
  const failed: number[] = [];
  let error: unknown;
  const attempt = async (index: number): Promise<void> => {
    try {
      accepted.set(index, await sender.send(index));
    } catch (cause) {
      if (failed.length === 0) error = cause;
      failed.push(index);
    }
  };
  const indices = Array.from({ length: sender.count }, (_, index) => index);
  const waves = sender.together ? [indices.slice(1), indices.slice(0, 1)] : indices.map((index) => [index]);
  for (const wave of waves) {
    if (failed.length > 0) break;
    await Promise.all(wave.map(attempt));
  }
  const unsent = indices.filter((index) => !accepted.has(index) && !failed.includes(index));
  return { accepted, failed, unsent, error };
}
