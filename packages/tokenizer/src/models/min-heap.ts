/** Numbers, of which the smallest comes out first. */
export class MinHeap {
  /** A binary tree in rows: the children of `i` are at `2i + 1` and `2i + 2`, and none is smaller. */
  readonly #items: number[] = [];

  /** The smallest; undefined when there is none. */
  get first(): number | undefined {
    return this.#items[0];
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? item;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  /** Takes out the smallest; undefined when there is none. */
  pop(): number | undefined {
    const items = this.#items;
    const [smallest] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return smallest;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      // Beyond the end there is nothing smaller.
      const left = items[child] ?? Number.POSITIVE_INFINITY;
      const right = items[child + 1] ?? Number.POSITIVE_INFINITY;
      if (right < left) child += 1;
      const smaller = Math.min(left, right);
      if (smaller >= last) break;
      items[at] = smaller;
      at = child;
    }
    items[at] = last;
    return smallest;
  }
}
