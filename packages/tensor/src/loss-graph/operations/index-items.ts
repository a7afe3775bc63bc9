import type { GraphValue } from "@tinkex/types";
import { integerOf, listOf } from "./bound-arguments.js";
import { OperationFault } from "./operation.js";
import type { Shape } from "./value-type.js";
import { type View, wholeView } from "./view.js";

/** One part of an index: a place, a range, all dimensions not named (`...`), or a new dimension (None). */
type IndexItem =
  | { readonly kind: "place"; readonly at: number }
  | { readonly kind: "range"; readonly from?: number; readonly to?: number; readonly step: number }
  | { readonly kind: "rest" }
  | { readonly kind: "new" };

/** Reads what stands between the brackets of `x[…]`. */
export function readIndex(value: GraphValue): readonly IndexItem[] {
  const items = (listOf(value) ?? [value]).map(itemOf);
  if (items.filter(({ kind }) => kind === "rest").length > 1) {
    throw new OperationFault("an index may hold one ellipsis, got more");
  }
  return items;
}

function itemOf(value: GraphValue): IndexItem {
  if (value === null) return { kind: "new" };
  if (typeof value === "object" && "ellipsis" in value) return { kind: "rest" };
  if (isSlice(value)) {
    const [start, stop, step] = value.slice.map((part) =>
      part === null ? undefined : integerOf("index", part),
    );
    if (step !== undefined && step <= 0)
      throw new OperationFault(`the step of a slice must be at least 1, got ${step}`);
    return {
      kind: "range",
      ...(start === undefined ? {} : { from: start }),
      ...(stop === undefined ? {} : { to: stop }),
      step: step ?? 1,
    };
  }
  return { kind: "place", at: integerOf("index", value) };
}

/** Tells a slice from a list, which has a method of that name. */
function isSlice(value: GraphValue): value is Extract<GraphValue, { readonly slice: readonly unknown[] }> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "slice" in value;
}

/** Gives the elements that an index selects. @throws OperationFault for a place that there is not */
export function indexedView(given: Shape, items: readonly IndexItem[]): View {
  const whole = wholeView(given);
  const taken = items.filter(({ kind }) => kind === "place" || kind === "range").length;
  if (taken > given.length) {
    throw new OperationFault(`an index of ${taken} dimensions is too long for ${given.length}`);
  }
  const shape: (number | undefined)[] = [];
  const strides: number[] = [];
  let { offset } = whole;
  let axis = 0;
  const keep = (count: number): void => {
    shape.push(...given.slice(axis, axis + count));
    strides.push(...whole.strides.slice(axis, axis + count));
    axis += count;
  };
  for (const item of items) {
    const size = given[axis];
    const stride = whole.strides[axis] ?? 0;
    if (item.kind === "rest") keep(given.length - taken);
    else if (item.kind === "new") {
      shape.push(1);
      strides.push(0);
    } else if (item.kind === "place") {
      offset += stride * placeOf(item.at, size, axis);
      axis += 1;
    } else {
      const { from, to, step } = item;
      const start = boundOf(from, size, 0);
      const end = boundOf(to, size, size);
      const length = start === undefined || end === undefined ? undefined : Math.ceil((end - start) / step);
      shape.push(length === undefined ? undefined : Math.max(0, length));
      strides.push(stride * step);
      offset += stride * (start ?? 0);
      axis += 1;
    }
  }
  keep(given.length - axis);
  return { shape, strides, offset };
}

function placeOf(at: number, size: number | undefined, axis: number): number {
  if (size === undefined) return Number.NaN;
  if (at < -size || at >= size) {
    throw new OperationFault(`index ${at} is outside dimension ${axis}, which has ${size} elements`);
  }
  return at < 0 ? at + size : at;
}

/** A bound of a range, cut to the dimension as Python cuts it. */
function boundOf(
  bound: number | undefined,
  size: number | undefined,
  fallback: number | undefined,
): number | undefined {
  if (size === undefined) return undefined;
  if (bound === undefined) return fallback;
  return Math.min(Math.max(bound < 0 ? bound + size : bound, 0), size);
}
