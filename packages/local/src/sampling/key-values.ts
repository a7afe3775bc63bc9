/** Sizes of what one token leaves in a cache. */
export interface KeyValueLayout {
  readonly layerCount: number;
  readonly keyValueHeadCount: number;
  readonly headSize: number;
}

/** Keys and values of some rows of tokens, one array a layer, `[rows, keyValueHeads, time, headSize]` row-major. */
export interface KeyValues {
  readonly rows: number;
  /** Tokens a row has room for. */
  readonly time: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

export function emptyKeyValues(layout: KeyValueLayout, rows: number, time: number): KeyValues {
  const size = rows * layout.keyValueHeadCount * time * layout.headSize;
  const arrays = () => Array.from({ length: layout.layerCount }, () => new Float32Array(size));
  return { rows, time, keys: arrays(), values: arrays() };
}

/** Bytes of one token's keys and values in all layers. */
export function bytesPerToken(layout: KeyValueLayout): number {
  return layout.layerCount * 2 * layout.keyValueHeadCount * layout.headSize * Float32Array.BYTES_PER_ELEMENT;
}

/** A stretch of tokens within one row. */
export interface KeyValueSpan {
  readonly of: KeyValues;
  readonly row: number;
  readonly start: number;
}

/** Copies `count` tokens from one place to another; the two may lie in the same arrays if they do not overlap. */
export function copyKeyValues(
  layout: KeyValueLayout,
  from: KeyValueSpan,
  to: KeyValueSpan,
  count: number,
): void {
  const { keyValueHeadCount, headSize } = layout;
  const offset = ({ of, row, start }: KeyValueSpan, head: number) =>
    ((row * keyValueHeadCount + head) * of.time + start) * headSize;
  const copy = (source: readonly Float32Array[], target: readonly Float32Array[]) => {
    source.forEach((array, layer) => {
      for (let head = 0; head < keyValueHeadCount; head += 1) {
        const first = offset(from, head);
        target[layer]?.set(array.subarray(first, first + count * headSize), offset(to, head));
      }
    });
  };
  copy(from.of.keys, to.of.keys);
  copy(from.of.values, to.of.values);
}

/** Rows `[0, rows)` of some keys and values, without copying. */
export function firstRows(layout: KeyValueLayout, all: KeyValues, rows: number): KeyValues {
  const size = rows * layout.keyValueHeadCount * all.time * layout.headSize;
  const cut = (arrays: readonly Float32Array[]) => arrays.map((array) => array.subarray(0, size));
  return { rows, time: all.time, keys: cut(all.keys), values: cut(all.values) };
}
