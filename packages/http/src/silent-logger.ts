import type { Logger } from "@tinkex/types";

const nothing = (): void => {};

/** Says nothing. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
