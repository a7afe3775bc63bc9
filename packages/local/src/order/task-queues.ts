/** Runs asynchronous tasks one after another within a key, and side by side between keys. */
export class TaskQueues {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `task` once every earlier task of the key has ended, well or badly. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    const tail = result.then(ignore, ignore).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return result;
  }

  /** Resolves when every task that was there at the call has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}

function ignore(): void {}
