import type { SessionReporter } from "@tinkex/types";

/** Listener of what fails in a service client. Its methods throw nothing; where all goes well it costs nothing. */
export type FailureListener = Omit<SessionReporter, "close">;
