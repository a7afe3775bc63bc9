import { bindByPlace } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { Callable, NONE, numberOf, type Range, type Value } from "../values/values.js";

/** An attribute of a range, as Python's has it. */
export function rangeAttribute(range: Range, name: string): Value | undefined {
  if (name === "start" || name === "stop" || name === "step") return range[name];
  if (name !== "index" && name !== "count") return undefined;
  return new Callable(name, (given) => {
    const place = placeIn(range, bindByPlace(name, given, ["value"], 1).value ?? NONE);
    if (name === "count") return place === undefined ? 0 : 1;
    if (place === undefined) throw new TemplateError("'index' finds no such number");
    return place;
  });
}

function placeIn(range: Range, value: Value): number | undefined {
  const place = ((numberOf(value) ?? Number.NaN) - range.start) / range.step;
  return Number.isInteger(place) && place >= 0 && place < range.length ? place : undefined;
}
