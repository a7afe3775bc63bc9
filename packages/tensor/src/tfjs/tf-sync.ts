import { loadTfjsNow, type Tfjs } from "./load-tfjs.js";
import { silenceGreeting } from "./silence-greeting.js";

export type { Tfjs };

/** The copy of tfjs that this entry works with, in the build for Node: read without waiting, so that `require` takes the entry. */
export const tf: Tfjs = loadTfjsNow();
silenceGreeting(tf);
