import { silentLogger, systemClock } from "@tinkex/base";
import { whole } from "./hostile-values.js";

// Each is replaced as a whole: a method that gives something else breaks its promise by its giver's fault, and what is checked of
// methods is the same everywhere (`check-surroundings.test.ts` of base).
export const clock = whole({ ...systemClock });
export const logger = whole({ ...silentLogger });
