import { systemClock } from "@tinkex/base";
import { whole } from "./hostile-values.js";

/** A clock that is replaced as a whole: a method of it that gives something else breaks its promise by its giver's fault. */
export const clock = whole({ ...systemClock });
