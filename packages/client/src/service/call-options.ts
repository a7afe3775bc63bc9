import type { WaitLimits } from "@tinkex/base";

/**
 * How one call is made. Aborting the signal, or reaching the limit, ends the operation here at once; what was sent by then the
 * service may still carry out.
 */
export interface CallOptions extends WaitLimits {}
