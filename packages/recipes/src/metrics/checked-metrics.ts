import { checkObject } from "@tinkex/base";
import { checkNumber } from "../arguments/check-numbers.js";

/**
 * Checks numbers by name that a user's function gave, since they are written and averaged. A name without a value is left out.
 *
 * @param place - names them in messages, e.g. `the reward's metrics`
 * @throws ValidationError for what is no number
 */
export function checkedMetrics(metrics: unknown, place: string): Readonly<Record<string, number>> {
  if (metrics === undefined || metrics === null) return {};
  checkObject(metrics, place, "{ length: 3 }");
  const numbers: [name: string, value: number][] = [];
  for (const [name, value] of Object.entries(metrics)) {
    if (value === undefined) continue;
    checkNumber(value, `${place}.${name}`);
    numbers.push([name, value]);
  }
  return Object.fromEntries(numbers);
}
