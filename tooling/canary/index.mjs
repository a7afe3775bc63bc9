export { CANARY_KEY, CANARY_PROMPT, CANARY_TOKENS } from "./canaries.mjs";
export { findCanaries } from "./find-canaries.mjs";
export { everythingOf, WITNESS_FILE, witness, witnessLogger } from "./witness.mjs";
