/**
 * Added to an attention score, it hides a key: large enough that its exponential is 0 beside any score, small enough
 * that adding a score stays finite.
 */
export const hiddenScore = -1e30;
