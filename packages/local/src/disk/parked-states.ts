import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../files/write-private-file.js";
import type { OwnedFolder } from "./owned-folder.js";

/** Files of states that are not in memory, in a folder that the next server removes should this one be killed. */
export class ParkedStates {
  readonly #root: string;
  readonly #folder: OwnedFolder;

  /**
   * @param root - data directory of the server
   * @param folder - below it; it is made when the first state is kept
   */
  constructor(root: string, folder: OwnedFolder) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Keeps a state, and gives the name to ask for it by. */
  async keep(state: Uint8Array): Promise<string> {
    await this.#folder.makeOnce(this.#root);
    const name = randomUUID();
    await writePrivateFile(join(this.#folder.path, name), state);
    return name;
  }

  fetch(name: string): Promise<Uint8Array> {
    return readFile(join(this.#folder.path, name));
  }

  remove(name: string): Promise<void> {
    return rm(join(this.#folder.path, name), { force: true });
  }

  /** Removes all that it keeps. */
  close(): Promise<void> {
    return this.#folder.removeOnceMade();
  }
}
