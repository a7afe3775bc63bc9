import { runInNewContext } from "node:vm";

/** Error of a proxy that a program made itself; it may pass through as it is. */
export class TrapError extends Error {
  override readonly name = "TrapError";
}

/** What plain JavaScript can put where a type says otherwise, each made anew for every call, since a call may change it. */
export const HOSTILE_VALUES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  "a number": () => 5,
  "a negative number": () => -1.5,
  NaN: () => Number.NaN,
  "a bigint": () => 5n,
  "a string": () => "x",
  "an empty string": () => "",
  "a lone surrogate": () => "\ud800",
  "a symbol": () => Symbol("s"),
  true: () => true,
  "a function": () => () => undefined,
  "an empty object": () => ({}),
  "an object without prototype": () => Object.create(null),
  "a circular object": () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    return circular;
  },
  "a frozen object": () => Object.freeze({ x: 1 }),
  "an empty list": () => [],
  "a list of holes": () => new Array(3),
  "a list of null": () => [null],
  "a circular list": () => {
    const circular: unknown[] = [];
    circular.push(circular);
    return circular;
  },
  "a date that is none": () => new Date(Number.NaN),
  "a map": () => new Map([["x", 1]]),
  "a promise": () => Promise.resolve(1),
  "a detached array": () => {
    const array = new Float32Array(4);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    return array;
  },
  "an array of another realm": () => runInNewContext("new Float32Array([1.5])"),
  "an array that was shrunk": () => {
    // The declarations of this project are older than buffers that can be resized.
    const Resizable = ArrayBuffer as unknown as new (
      length: number,
      options: object,
    ) => ArrayBuffer & { resize(length: number): void };
    const buffer = new Resizable(16, { maxByteLength: 16 });
    const array = new Int32Array(buffer, 8, 2);
    buffer.resize(8);
    return array;
  },
  "a view of bytes": () => new DataView(new ArrayBuffer(8)),
  "large integers": () => BigUint64Array.of(2n ** 64n - 1n),
  "a list without end": () => ({ length: Number.MAX_SAFE_INTEGER }),
  "a list of symbols": () => [Symbol("s")],
  "a list in a proxy": () => new Proxy([1], {}),
  "a boxed number": () => Object(1),
  "a generator": () => [1, 2].values(),
  "an object without a text": () => ({ toString: undefined, valueOf: undefined, toJSON: undefined }),
  "an object whose text throws": () => ({
    toString: () => {
      throw new TrapError();
    },
  }),
  infinity: () => Number.POSITIVE_INFINITY,
  "a number beyond exact ones": () => 2 ** 60,
  "a string of 100 kB": () => "x".repeat(100_000),
  "a transparent proxy": () => new Proxy({}, {}),
  "a proxy that throws": () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new TrapError();
        },
      },
    ),
};

/** One way of spoiling a good list of arguments. */
export interface SpoiltArguments {
  /** Place and value, e.g. `argument 1.weights = null`. */
  readonly title: string;
  readonly make: () => readonly unknown[];
}

/** How deep below an argument its fields and first elements are replaced as well. */
const MAX_DEPTH = 3;

/**
 * Gives every way of replacing one argument, one field or the first element of a list below it by a hostile value.
 *
 * @param good Makes the good arguments anew; fields that it leaves out are not known here and stay out.
 */
export function* spoil(good: () => readonly unknown[]): Generator<SpoiltArguments> {
  for (const path of places(good())) {
    for (const [name, value] of Object.entries(HOSTILE_VALUES)) {
      yield {
        title: `argument ${path.join(".")} = ${name}`,
        make: () => put(good(), path, value()) as readonly unknown[],
      };
    }
  }
}

const shared = new WeakSet<object>();

/** Marks an object that many calls share, such as a loaded tokenizer: it is replaced as a whole, and nothing in it is. */
export function whole<Value extends object>(value: Value): Value {
  shared.add(value);
  return value;
}

type Path = readonly (string | number)[];

function places(value: unknown, path: Path = []): Path[] {
  if (path.length > MAX_DEPTH) return [];
  const below = childNames(value).flatMap((name) =>
    places((value as Record<string | number, unknown>)[name], [...path, name]),
  );
  return path.length === 0 ? below : [path, ...below];
}

function childNames(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()].slice(0, value.length > 3 ? 1 : 3);
  const isPlain =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && !shared.has(value) ? Object.keys(value) : [];
}

/** Gives a copy with another value in one place: what lies on the way there may be shared by all calls, as the clock is. */
function put(target: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  const record = target as Record<string | number, unknown>;
  const changed = put(record[first], rest, value);
  if (Array.isArray(target)) return target.with(Number(first), changed);
  return { ...record, [first]: changed };
}
