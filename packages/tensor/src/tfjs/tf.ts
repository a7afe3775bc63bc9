import { loadTfjs, type Tfjs } from "./load-tfjs.js";
import { silenceGreeting } from "./silence-greeting.js";

export type { Tfjs };

/** The copy of tfjs that this entry works with; loaded when the entry is imported. */
export const tf: Tfjs = await loadTfjs();
silenceGreeting(tf);
