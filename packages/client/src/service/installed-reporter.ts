import { isPackageMissing, type Logger } from "@tinkex/base";
import type { TelemetryReporter } from "@tinkex/types";

/** Name of the package that reports. A bundler does not see it here, so that a program without it can be bundled. */
const PACKAGE: string = "@tinkex/telemetry";

/** The parts of the package that are used here. */
interface TelemetryPackage {
  readonly ServiceReporter: new () => TelemetryReporter;
  isReportingOn(choice: {
    readonly isWanted: boolean | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
  }): boolean;
}

/**
 * Loads the reporter of `@tinkex/telemetry`, if that is installed, and neither the option nor the environment is against it. The
 * one place where the client loads an optional package of ours.
 */
export async function installedReporter(
  isWanted: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): Promise<TelemetryReporter | undefined> {
  try {
    const { ServiceReporter, isReportingOn }: TelemetryPackage = await import(
      /* webpackIgnore: true */ /* @vite-ignore */ PACKAGE
    );
    return isReportingOn({ isWanted, env }) ? new ServiceReporter() : undefined;
  } catch (cause) {
    if (!isPackageMissing(PACKAGE, cause))
      logger.debug("telemetry is off: its package does not load", { cause });
    return undefined;
  }
}
