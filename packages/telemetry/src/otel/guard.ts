/** Runs a part of a trace. What it throws must reach neither the call that is traced nor the process, and gives `undefined`. */
export type Guard = <T>(run: () => T) => T | undefined;

/** Makes a guard. @param onFault - told of what was thrown; may throw itself */
export function guardWith(onFault: (error: unknown) => void): Guard {
  return (run) => {
    try {
      return run();
    } catch (error) {
      try {
        onFault(error);
      } catch {
        // Nobody is left to be told.
      }
      return undefined;
    }
  };
}
