import { listOf } from "../values/iterate.js";
import { bindByPlace } from "../values/run.js";
import { Dict, DictView, NONE, Tuple } from "../values/values.js";
import type { Method } from "./members.js";

/** The methods of dictionaries that change nothing. */
export const DICT_METHODS: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    "get",
    (self, given) => {
      const { key = NONE, default: otherwise = NONE } = bindByPlace("get", given, ["key", "default"], 1);
      return self.get(key) ?? otherwise;
    },
  ],
  [
    "items",
    (self, given, run) => {
      bindByPlace("items", given, []);
      run.budget.allocate(48 + 64 * self.size, "items");
      run.budget.spend(self.size, "items");
      return new DictView(
        "dict_items",
        Array.from(self.entries(), (entry) => new Tuple(entry)),
      );
    },
  ],
  [
    "keys",
    (self, given, run) => {
      bindByPlace("keys", given, []);
      run.budget.allocate(48 + 8 * self.size, "keys");
      return new DictView("dict_keys", self.keys());
    },
  ],
  [
    "values",
    (self, given, run) => {
      bindByPlace("values", given, []);
      run.budget.allocate(48 + 8 * self.size, "values");
      return new DictView("dict_values", self.values());
    },
  ],
  [
    "copy",
    (self, given) => {
      bindByPlace("copy", given, []);
      return self;
    },
  ],
  [
    "fromkeys",
    (_self, given, run) => {
      const { iterable = NONE, value = NONE } = bindByPlace("fromkeys", given, ["iterable", "value"], 1);
      const keys = listOf(iterable, run.budget, "fromkeys");
      run.budget.allocate(48 + 96 * keys.length, "fromkeys");
      return new Dict(keys.map((key) => [key, value]));
    },
  ],
]);
