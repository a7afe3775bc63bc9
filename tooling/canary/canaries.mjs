/** The key that tests send wherever any key will do. It must be seen by the service the client talks to, and by nobody else. */
export const CANARY_KEY = "tml-canary-7d41c0b2e95f";

/** The prompt that tests send wherever any text will do. */
export const CANARY_PROMPT = "a canary sings of quartz 58213";

/** The prompt as a test that deals in tokens sends it; two numbers that stand beside each other nowhere by chance. */
export const CANARY_TOKENS = Object.freeze([58213, 90467]);
