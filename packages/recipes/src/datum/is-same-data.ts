/**
 * Tells whether plain data are the same: lists and typed arrays by their elements, whatever class holds them, other objects by their fields,
 * of which one that is undefined is none. Makes no copy and no text, for an image may have megabytes.
 */
export function isSameData(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (isList(one) || isList(other)) return isList(one) && isList(other) && isSameList(one, other);
  const names = Object.keys({ ...one, ...other });
  return names.every((name) => isSameData(Reflect.get(one, name), Reflect.get(other, name)));
}

function isSameList(one: ArrayLike<unknown>, other: ArrayLike<unknown>): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!isSameData(one[index], other[index])) return false;
  }
  return true;
}

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
