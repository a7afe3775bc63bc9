/** Describes a value for a message: short, and never a whole array. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 20))}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object" && value !== null)
    return `an object (${value.constructor?.name ?? "no class"})`;
  return String(value);
}
