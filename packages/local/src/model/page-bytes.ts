/**
 * Tensors in a file begin at multiples of this, so that each can be mapped by itself on every system: Windows maps from such places alone, and
 * the runtime copies there what it cannot map.
 */
export const PAGE_BYTES = 65_536;
