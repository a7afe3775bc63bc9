import type { Run } from "../values/run.js";
import { unsupported } from "../values/template-error.js";
import { isText, plain } from "../values/text.js";
import { isInteger, NONE, Undefined, type Value } from "../values/values.js";
import { itemOf } from "./members.js";
import { isTrue } from "./operators.js";
import { convertCase } from "./string-methods.js";

/**
 * Makes what filters with `attribute="a.b.0"` ask of each item.
 * @param attribute - none or nothing for the item itself
 */
export function attributeGetter(
  attribute: Value | undefined,
  run: Run,
  otherwise?: Value,
): (item: Value) => Value {
  const parts = partsOf(attribute);
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = itemOf(value, part, run);
      if (otherwise !== undefined && otherwise !== NONE && value instanceof Undefined) value = otherwise;
    }
    return value;
  };
}

function partsOf(attribute: Value | undefined): (string | number)[] {
  if (attribute === undefined || attribute === NONE) return [];
  if (isInteger(attribute)) return [Number(attribute)];
  if (!isText(attribute)) throw unsupported("an attribute that is no text");
  return plain(attribute)
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Makes the key by which filters sort and group: texts in small letters, unless case counts. */
export function sortKey(isCaseSensitive: Value | undefined, run: Run): (value: Value) => Value {
  if (isCaseSensitive !== undefined && isTrue(isCaseSensitive)) return (value) => value;
  return (value) => (isText(value) ? convertCase(value, (text) => text.toLowerCase(), "sort", run) : value);
}
