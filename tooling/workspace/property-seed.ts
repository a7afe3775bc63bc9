import { configureGlobal } from "fast-check";

/**
 * Seeds the property tests of a run, so that what passes here passes again on the same code. `TINKEX_PROPERTY_SEED=random` gives
 * each run seeds of its own, and a number others; a failure prints the one that repeats it.
 */
const { TINKEX_PROPERTY_SEED: seed = "20261129" } = process.env;
if (seed !== "random") configureGlobal({ seed: Number(seed) });
