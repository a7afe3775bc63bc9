/** This package's version, for `User-Agent`. */
export const VERSION = "0.1.0";

/** The official SDK whose behaviour this one has; servers switch features on by it. */
export const COMPATIBLE_SDK_VERSION = "0.38.0";
