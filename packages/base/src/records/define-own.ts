/**
 * Defines `key` as a property of `target` itself. Plain assignment of a key named `__proto__`, which hostile bytes may hold,
 * would change the object's prototype instead.
 */
export function defineOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
