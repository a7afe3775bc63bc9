import type { Shape } from "./dimension.js";
import type { ElementType } from "./element-type.js";

/** A tensor inside a graph under construction: an input, an initializer or what a node gives. */
export interface Value {
  /** Unique within its graph. */
  readonly name: string;
  readonly type: ElementType;
  readonly shape: Shape;
}
