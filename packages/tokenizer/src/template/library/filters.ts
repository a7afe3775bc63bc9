import { isTrue } from "../operations/operators.js";
import { bind, type Run } from "../values/run.js";
import { type CallArguments, Undefined, type Value } from "../values/values.js";
import { HTML_FILTERS } from "./filters-of-html.js";
import { LIST_FILTERS } from "./filters-of-lists.js";
import { NUMBER_FILTERS } from "./filters-of-numbers.js";
import { TEXT_FILTERS } from "./filters-of-texts.js";

/** A function behind `|`, of the value before it. */
export type Filter = (value: Value, given: CallArguments, run: Run) => Value;

const byDefault: Filter = (value, given) => {
  const { default_value: otherwise = "", boolean = false } = bind("default", given, [
    "default_value",
    "boolean",
  ]);
  return value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? otherwise : value;
};

/** The filters of jinja2 3.1, as transformers has them; those without a use refuse. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["default", byDefault],
  ["d", byDefault],
  ...LIST_FILTERS,
  ...TEXT_FILTERS,
  ...HTML_FILTERS,
  ...NUMBER_FILTERS,
]);
