import picocolors from "picocolors";

/** Colours on a terminal that shows them, plain text elsewhere; `NO_COLOR` switches them off. */
export const colors = picocolors.createColors(process.stdout.isTTY === true && picocolors.isColorSupported);
