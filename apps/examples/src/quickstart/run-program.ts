import { TinkexError } from "@tinkex/types";

/** Exit codes that a shell shows for a program that such a signal ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A fault of the user's that one line explains: a missing file, a wrong option. */
export class UsageError extends Error {}

/**
 * Runs a program's main function: Ctrl-C aborts `signal`, so that what is open is closed in order, a failure that a
 * person can mend is one line instead of a stack, and output that nobody reads any more, as behind `| head`, is dropped.
 */
export async function runProgram(main: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  // Listens once: a second Ctrl-C meets the default, which ends the process without waiting.
  const interrupt = (name: keyof typeof EXIT_CODES): void => {
    forget();
    process.exitCode = EXIT_CODES[name];
    controller.abort(new Error("interrupted"));
  };
  const forget = (): void => {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  };
  const drop = (): void => {};
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  process.stdout.on("error", drop);
  try {
    await main(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) {
      console.error("\ninterrupted");
    } else if (TinkexError.isInstance(error) || error instanceof UsageError) {
      console.error(`error: ${error.message}`);
      process.exitCode = 1;
    } else {
      throw error;
    }
  } finally {
    forget();
    process.stdout.off("error", drop);
  }
}
