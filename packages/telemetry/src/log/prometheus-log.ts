import { checkKnownNames, checkObject, checkString, describeValue, ValidationError } from "@tinkex/base";
import { replaceFile } from "@tinkex/base/node";
import { type FileLog, fileLog } from "./file-log.js";
import type { Metrics } from "./metrics-logger.js";

/** Options of {@link prometheusLog}. */
export interface PrometheusLogOptions {
  /** Labels of every value, e.g. `{ run: "support-bot" }`. @defaultValue none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** A file that is written anew with each step, for the textfile collector of Prometheus' node exporter. @defaultValue none */
  readonly file?: string | undefined;
}

/** The newest metrics in Prometheus' text format. */
export interface PrometheusLog extends FileLog {
  /** The answer to a scrape, of the content type `text/plain; version=0.0.4`. */
  text(): string;
}

const OPTION_NAMES: Readonly<Record<keyof PrometheusLogOptions, true>> = { labels: true, file: true };

/** Names of labels, by Prometheus' data model. */
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Keeps the newest value of each metric for Prometheus: gauges `tinkex_training_metric{name="loss:sum"}`, so that every name stays as
 * it is, and `tinkex_training_step`.
 *
 * @throws ValidationError at the call
 */
export function prometheusLog(options: PrometheusLogOptions = {}): PrometheusLog {
  checkKnownNames(options, OPTION_NAMES, "the options of prometheusLog");
  const { labels = {}, file } = options;
  checkObject(labels, "prometheusLog: labels", '{ run: "support-bot" }');
  if (file !== undefined) checkString(file, "prometheusLog: file", "/var/lib/node_exporter/tinkex.prom");
  const common = Object.entries(labels);
  for (const [name, value] of common) {
    checkString(value, `prometheusLog: labels.${name}`);
    if (LABEL_NAME.test(name) && name !== "name") continue;
    throw new ValidationError(
      `prometheusLog: labels must be named by letters, digits and "_", and not "name", got ${describeValue(name)}`,
      { path: ["labels", name] },
    );
  }
  const values = new Map<string, number>();
  let lastStep: number | undefined;
  const text = (): string => {
    if (lastStep === undefined) return "";
    return [
      "# HELP tinkex_training_step Number of the last training step, from 0.",
      "# TYPE tinkex_training_step gauge",
      `tinkex_training_step${labelsOf(common)} ${lastStep}`,
      "# HELP tinkex_training_metric Newest value of a metric of training, by its name.",
      "# TYPE tinkex_training_metric gauge",
      ...[...values].map(
        ([name, value]) =>
          `tinkex_training_metric${labelsOf([...common, ["name", name]])} ${numberOf(value)}`,
      ),
      "",
    ].join("\n");
  };
  const log = fileLog(
    async () => ({
      async write() {
        if (file !== undefined)
          await replaceFile(file, (open) => open.writeFile(text()), { isPrivate: false });
      },
    }),
    `prometheusLog: ${file}`,
  );
  return {
    ...log,
    log(metrics: Metrics, step: number) {
      lastStep = step;
      for (const [name, value] of Object.entries(metrics)) {
        if (typeof value === "number") values.set(name, value);
      }
      return log.log(metrics, step);
    },
    text,
  };
}

function labelsOf(labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberOf(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
