import { ResponseError, raceAbort } from "@tinkex/base";
import type { Session } from "../session/session.js";

/** Numbers that each copy of a sampler has for its samples, so that no two samples of a session share one. */
const BLOCK_SIZE = 1_000_000_000;
/** Last copy whose numbers are exact in JavaScript. */
const MAX_COPY_NUMBER = Math.floor(Number.MAX_SAFE_INTEGER / BLOCK_SIZE) - 1;

/**
 * A copy of a sampler in another process or worker: its number among the copies, by which its samples have numbers of their own. The
 * service gives one where it can, asked once before the first sample; for others it is drawn at random.
 */
export class SamplerCopy {
  readonly #session: Session;
  readonly #samplingSessionId: string;
  #number: Promise<number> | undefined;

  constructor(session: Session, samplingSessionId: string) {
    this.#session = session;
    this.#samplingSessionId = samplingSessionId;
  }

  /**
   * Gives the copy's number, from 1. All samples share the asking; after a failure the next one asks anew.
   *
   * @throws what asking throws; the reason of `signal`
   */
  number(signal: AbortSignal): Promise<number> {
    this.#number ??= this.#join().catch((error: unknown) => {
      this.#number = undefined;
      throw error;
    });
    const joined = this.#number;
    // Nobody may be left that waits, and others may still want the number.
    joined.catch(() => {});
    return raceAbort(signal, () => joined);
  }

  /** First number of the samples of a copy. */
  static firstSampleOf(copyNumber: number): number {
    return copyNumber * BLOCK_SIZE;
  }

  async #join(): Promise<number> {
    const { server, environment } = this.#session;
    if (!server.config.sample_join_sampling_session) {
      return 1 + Math.floor(environment.random() * MAX_COPY_NUMBER);
    }
    const { client_counter } = await this.#session.call(
      "join_sampling_session",
      { sampling_session_id: this.#samplingSessionId },
      { onBehalfOf: { method: "SamplingClient.sample" }, signal: environment.lifecycle.closing },
    );
    if (Number.isInteger(client_counter) && client_counter >= 1 && client_counter <= MAX_COPY_NUMBER) {
      return client_counter;
    }
    throw new ResponseError(
      `join_sampling_session: client_counter must be from 1 to ${MAX_COPY_NUMBER}, got ${client_counter}`,
    );
  }
}
