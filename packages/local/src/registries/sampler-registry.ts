import type { Engine } from "../engine/engine.js";
import { RequestRefusal } from "../errors/request-refusal.js";

/** Something to sample from. */
export interface Sampler {
  readonly id: string;
  readonly sessionId: string;
  readonly engine: Engine;
  /** The adapter to use; absent for the base model. */
  readonly adapterId: string | undefined;
  /** The checkpoint it was made from. */
  readonly modelPath: string | undefined;
}

interface Entry {
  readonly sessionId: string;
  readonly fingerprint: string;
  readonly sampler: Promise<Sampler>;
  /** Copies of its client that have asked for a number. */
  copies: number;
}

/** The sampling sessions of all sessions, by id. */
export class SamplerRegistry {
  readonly #entries = new Map<string, Entry>();

  /**
   * The sampler of this id, made by `make` unless the same request made it before.
   *
   * @throws RequestRefusal 409 when the id was taken by another request
   */
  async create(
    identity: { readonly id: string; readonly sessionId: string; readonly fingerprint: string },
    make: () => Promise<Sampler>,
  ): Promise<Sampler> {
    const known = this.#entries.get(identity.id);
    if (known !== undefined) {
      if (known.fingerprint === identity.fingerprint) return known.sampler;
      throw new RequestRefusal(
        409,
        `sampling session ${identity.id} exists already; use the next sampling_session_seq_id`,
      );
    }
    const sampler = make();
    this.#entries.set(identity.id, { ...identity, sampler, copies: 0 });
    try {
      return await sampler;
    } catch (error) {
      this.#entries.delete(identity.id);
      throw error;
    }
  }

  /** @throws RequestRefusal 404 */
  async find(samplerId: string): Promise<Sampler> {
    return this.#entry(samplerId).sampler;
  }

  /** Numbers one more copy of a sampler's client, which is number 0 itself. @throws RequestRefusal 404 */
  join(samplerId: string): number {
    const entry = this.#entry(samplerId);
    entry.copies += 1;
    return entry.copies;
  }

  #entry(samplerId: string): Entry {
    const entry = this.#entries.get(samplerId);
    if (entry === undefined) {
      throw new RequestRefusal(
        404,
        `no sampling session ${samplerId}: make one with create_sampling_session (a restart forgets them)`,
      );
    }
    return entry;
  }

  /** Ids of the samplers of a session, in the order in which they were made. */
  idsOf(sessionId: string): string[] {
    return [...this.#entries].flatMap(([id, entry]) => (entry.sessionId === sessionId ? [id] : []));
  }

  /** Forgets the samplers of a session, and gives them to be cleaned up after. */
  async removeSession(sessionId: string): Promise<Sampler[]> {
    const removed = [...this.#entries].filter(([, entry]) => entry.sessionId === sessionId);
    for (const [id] of removed) this.#entries.delete(id);
    const made = await Promise.allSettled(removed.map(([, entry]) => entry.sampler));
    return made.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }
}
