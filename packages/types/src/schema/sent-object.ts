import { unknownNames } from "@tinkex/base";
import * as z from "zod";

/**
 * An object that we send: an unknown key is an error that names the nearest valid one. The schema is built when it is first
 * used, since building those of all records would make up most of the time this package takes to load.
 */
export function sentObject<Shape extends z.core.$ZodLooseShape>(shapeOf: () => Shape) {
  return z.lazy(() => {
    const shape = shapeOf();
    const names = Object.keys(shape);
    return z.strictObject(shape, {
      error: (issue) => (issue.code === "unrecognized_keys" ? unknownNames(issue.keys, names) : undefined),
    });
  });
}
