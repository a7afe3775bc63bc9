/** One user's hold on a resource. */
export interface Share<T> {
  readonly value: T;
  /** Lets go of it, once. @returns true when nobody else holds it */
  release(): boolean;
}

interface Counted<T> {
  readonly value: T;
  userCount: number;
}

/** Resources by what they were made of, each made once for all who ask while any of them holds it. */
export class SharedResources<T extends object> {
  /** The users keep them alive, so that one that nobody lets go of is no leak. */
  readonly #open = new Map<string, WeakRef<Counted<T>>>();

  /** @param key - what it is made of; `undefined` for one that is not shared */
  acquire(key: string | undefined, make: () => T): Share<T> {
    const counted = (key === undefined ? undefined : this.#open.get(key)?.deref()) ?? this.#make(key, make);
    counted.userCount += 1;
    let isReleased = false;
    return {
      value: counted.value,
      release: () => {
        if (!isReleased) counted.userCount -= 1;
        isReleased = true;
        if (counted.userCount > 0) return false;
        if (key !== undefined && this.#open.get(key)?.deref() === counted) this.#open.delete(key);
        return true;
      },
    };
  }

  #make(key: string | undefined, make: () => T): Counted<T> {
    const counted = { value: make(), userCount: 0 };
    if (key !== undefined) this.#open.set(key, new WeakRef(counted));
    return counted;
  }
}
