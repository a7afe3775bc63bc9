import { checkObject, describeValue, ValidationError } from "@tinkex/base";

/** Places that say whether a service client reports. */
export interface ReportingChoice {
  /** Option of the client; it wins over the environment. */
  readonly isWanted?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Words of `TINKER_TELEMETRY` that leave reporting on; any other turns it off, an empty one too. */
const ON_WORDS = ["1", "true", "yes", "on"];

/**
 * Tells whether a service client reports to its service: on unless the option is `false`, `TINKER_TELEMETRY` holds anything but
 * `1`, `true`, `yes` or `on` in any case, or `DO_NOT_TRACK` is `1`.
 *
 * @throws ValidationError for an option that is neither `true` nor `false`, and an environment that is no object
 */
export function isReportingOn(choice: ReportingChoice): boolean {
  checkObject(choice, "isReportingOn: choice", "{ env: process.env }");
  const { isWanted, env } = choice;
  checkObject(env, "isReportingOn: env", "process.env");
  if (isWanted !== undefined && typeof isWanted !== "boolean") {
    throw new ValidationError(
      `isReportingOn: isWanted must be true or false, got ${describeValue(isWanted)}`,
      {
        path: ["isWanted"],
      },
    );
  }
  if (isWanted !== undefined) return isWanted;
  if (env.DO_NOT_TRACK === "1") return false;
  const word = env.TINKER_TELEMETRY;
  return word === undefined || ON_WORDS.includes(String(word).toLowerCase());
}
