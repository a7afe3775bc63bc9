import type { CheckpointLives } from "../../session/checkpoint-lives.js";

/** Most checkpoints of one model that are remembered. */
const MAX_CHECKPOINTS = 64;

/** Checkpoints of weights and optimizer that a client has saved or loaded, in the order of the calls, however late their answers came. */
export class KnownCheckpoints {
  readonly #lives: CheckpointLives;
  /** Ascending by the sequence id of the call. */
  readonly #known: { readonly seqId: number; readonly path: string }[] = [];

  constructor(lives: CheckpointLives) {
    this.#lives = lives;
  }

  /** Path of the newest one that was neither deleted by this service client nor has outlived the time that it was given. */
  get latest(): string | undefined {
    return this.#known.findLast(({ path }) => this.#lives.isAlive(path))?.path;
  }

  /**
   * Notes a checkpoint that was saved.
   *
   * @param seqId - `undefined` where the call's is not known: then it was the last one
   */
  saved(path: string, seqId: number | undefined, ttlSeconds: number | null | undefined): void {
    this.#lives.lives(path, ttlSeconds);
    this.#note(path, seqId);
  }

  /** Notes a checkpoint that was loaded, and so is there. @param seqId - as for {@link saved} */
  loaded(path: string, seqId: number | undefined): void {
    this.#note(path, seqId);
  }

  #note(path: string, seqId = this.#known.at(-1)?.seqId ?? 0): void {
    const before = this.#known.findLastIndex((known) => known.seqId <= seqId);
    this.#known.splice(before + 1, 0, { seqId, path });
    if (this.#known.length > MAX_CHECKPOINTS) this.#forgetOne();
  }

  /** Forgets one that has ended, else the oldest that will end: one without an end may outlive all later ones. */
  #forgetOne(): void {
    const ended = this.#known.findIndex(({ path }) => !this.#lives.isAlive(path));
    const mortal = this.#known.findIndex(({ path }) => this.#lives.hasEnd(path));
    this.#known.splice(ended >= 0 ? ended : Math.max(0, mortal), 1);
  }
}
