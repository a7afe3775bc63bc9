import { bindByPlace } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
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
      const { value = NONE, start } = bindByPlace("index", given, ["value", "start", "stop"], 1);
      if (start !== undefined) throw unsupported("'index' with a place to begin at");
      const found = self.findIndex((item) => isEqual(item, value, run));
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
