/** A value in a {@link LinkedList}. */
export interface ListEntry<Value> {
  readonly value: Value;
}

interface Node<Value> extends ListEntry<Value> {
  before: Node<Value> | undefined;
  after: Node<Value> | undefined;
  isListed: boolean;
}

/**
 * Doubly linked list. Arrays move all that they hold when the first of many leaves, and look through it for one in the middle; here
 * both take the same short time however many wait.
 */
export class LinkedList<Value> {
  #first: Node<Value> | undefined;
  #last: Node<Value> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a value behind the last one for which `belongsBehind` holds; behind all of them by default. */
  add(value: Value, belongsBehind: (other: Value) => boolean = () => true): ListEntry<Value> {
    let before = this.#last;
    while (before !== undefined && !belongsBehind(before.value)) before = before.before;
    const after = before === undefined ? this.#first : before.after;
    const node: Node<Value> = { value, before, after, isListed: true };
    if (before === undefined) this.#first = node;
    else before.after = node;
    if (after === undefined) this.#last = node;
    else after.before = node;
    this.#length += 1;
    return node;
  }

  /** Takes an entry of this list out; one that has left stays out. */
  remove(entry: ListEntry<Value>): void {
    // Every entry that the list has given is a node of its own.
    const node = entry as Node<Value>;
    if (!node.isListed) return;
    node.isListed = false;
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    this.#length -= 1;
    // Whoever keeps an entry that has left must not keep its neighbours, and through them all who came later.
    node.before = undefined;
    node.after = undefined;
  }

  /** Takes the first value out. */
  shift(): Value | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.remove(first);
    return first.value;
  }

  /** Takes all values out, in their order. */
  clear(): Value[] {
    const values: Value[] = [];
    for (let node = this.#first; node !== undefined; node = node.after) {
      node.isListed = false;
      values.push(node.value);
    }
    this.#first = undefined;
    this.#last = undefined;
    this.#length = 0;
    return values;
  }
}
