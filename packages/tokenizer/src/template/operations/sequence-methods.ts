import { wholeArgument } from "../values/arguments.js";
import { bindByPlace } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { NONE, type Value } from "../values/values.js";
import type { Method } from "./members.js";
import { isEqual } from "./operators.js";

/** The methods of lists and tuples that change nothing. */
export const SEQUENCE_METHODS: ReadonlyMap<string, Method<readonly Value[]>> = new Map<
  string,
  Method<readonly Value[]>
>([
  [
    "index",
    (self, given, run) => {
      const { value = NONE, start, stop } = bindByPlace("index", given, ["value", "start", "stop"], 1);
      const place = (bound: Value | undefined, otherwise: number) => {
        const wanted = wholeArgument("index", bound, otherwise);
        return wanted < 0 ? Math.max(0, wanted + self.length) : wanted;
      };
      const [from, to] = [place(start, 0), place(stop, self.length)];
      const found = self.findIndex((item, index) => index >= from && index < to && isEqual(item, value, run));
      if (found === -1) throw new TemplateError("'index' finds no such item");
      return found;
    },
  ],
  [
    "count",
    (self, given, run) => {
      const { value = NONE } = bindByPlace("count", given, ["value"], 1);
      return self.filter((item) => isEqual(item, value, run)).length;
    },
  ],
]);

/** The methods of lists alone. */
export const LIST_METHODS: ReadonlyMap<string, Method<readonly Value[]>> = new Map<
  string,
  Method<readonly Value[]>
>([
  [
    "copy",
    (self, given, run) => {
      bindByPlace("copy", given, []);
      run.budget.allocate(48 + 8 * self.length, "copy");
      return [...self];
    },
  ],
]);
