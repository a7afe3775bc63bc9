import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { OwnedFolder } from "../disk/owned-folder.js";
import type { Engine } from "../engine/engine.js";

export interface AdapterCacheOptions {
  /** Data directory of the server. */
  readonly root: string;
  /** Folder below the root where adapters wait that are not in memory; it is made when the first one does. */
  readonly folder: OwnedFolder;
  /** Number of adapters that may stay in memory while nobody uses them. */
  readonly capacity: number;
}

interface Place {
  readonly adapterId: string;
  readonly engine: Engine;
  /** Number of samples that are being drawn, or wait to be. */
  users: number;
  isResident: boolean;
  /** Its copy on disk, once it was moved there. */
  directory: string | undefined;
  /** Moves in and out of memory happen one after another. */
  moves: Promise<void>;
}

/**
 * Cache of the adapters of sampling sessions (LRU, spills to disk). A long run makes one at every step and may come back to any of them: the most recently
 * used stay in memory, the others wait on disk.
 */
export class AdapterCache {
  readonly #options: AdapterCacheOptions;
  /** By adapter id, the least recently used first. */
  readonly #places = new Map<string, Place>();

  constructor(options: AdapterCacheOptions) {
    this.#options = options;
  }

  /** Takes an adapter that is in the engine's memory into its care. */
  add(adapterId: string, engine: Engine): void {
    const place = {
      adapterId,
      engine,
      users: 0,
      isResident: true,
      directory: undefined,
      moves: Promise.resolve(),
    };
    this.#places.set(adapterId, place);
    this.#makeRoom();
  }

  /** Runs `work` with the adapter in memory. For one that the cache does not have, the engine's own error counts. */
  async use<T>(adapterId: string, work: () => Promise<T>): Promise<T> {
    const place = this.#places.get(adapterId);
    if (place === undefined) return work();
    place.users += 1;
    this.#places.delete(adapterId);
    this.#places.set(adapterId, place);
    try {
      await this.#move(place, () => bringIn(place));
      return await work();
    } finally {
      place.users -= 1;
      this.#makeRoom();
    }
  }

  /** Forgets an adapter, in memory and on disk. */
  async remove(adapterId: string): Promise<void> {
    const place = this.#places.get(adapterId);
    if (place === undefined) return;
    this.#places.delete(adapterId);
    await this.#move(place, async () => {
      if (place.isResident) await place.engine.releaseAdapter(adapterId);
      if (place.directory !== undefined) await rm(place.directory, { recursive: true, force: true });
    });
  }

  /** Removes what waits on disk, after the moves under way. */
  async close(): Promise<void> {
    const places = [...this.#places.values()];
    this.#places.clear();
    await Promise.allSettled(places.map((place) => place.moves));
    await this.#options.folder.removeOnceMade();
  }

  #makeRoom(): void {
    const idle = [...this.#places.values()].filter((place) => place.isResident && place.users === 0);
    for (const place of idle.slice(0, Math.max(0, idle.length - this.#options.capacity))) {
      // A failure, such as a full disk, leaves the adapter in memory.
      this.#move(place, () => this.#moveOut(place)).catch(() => {});
    }
  }

  async #moveOut(place: Place): Promise<void> {
    if (!place.isResident || place.users > 0) return;
    const { adapterId, engine } = place;
    if (place.directory === undefined) {
      await this.#options.folder.makeOnce(this.#options.root);
      const directory = join(this.#options.folder.path, randomUUID());
      await engine.saveAdapter(adapterId, directory, { includesOptimizer: false });
      place.directory = directory;
    }
    // Somebody may have come for it meanwhile.
    if (place.users > 0) return;
    place.isResident = false;
    await engine.releaseAdapter(adapterId);
  }

  #move(place: Place, action: () => Promise<void>): Promise<void> {
    const moved = place.moves.then(action);
    place.moves = moved.catch(() => {});
    return moved;
  }
}

async function bringIn(place: Place): Promise<void> {
  if (place.isResident || place.directory === undefined) return;
  await place.engine.loadAdapter(place.adapterId, place.directory, { includesOptimizer: false });
  place.isResident = true;
}
