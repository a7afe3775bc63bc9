const MIB = 1024 * 1024;

/** Most bytes of the answer to a call that opens, asks or ends something, packed and unpacked. */
export const MAX_CONTROL_BYTES = 4 * MIB;
/** Most bytes of a list: pages of runs, usage, audit logs, traces. */
export const MAX_LIST_BYTES = 64 * MIB;
/** Most bytes of what training and sampling give. */
export const MAX_RESULT_BYTES = 512 * MIB;
