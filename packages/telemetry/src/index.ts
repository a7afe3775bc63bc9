export {
  type ConsoleLog,
  type ConsoleLogOptions,
  type ConsoleStream,
  consoleLog,
} from "./log/console-log.js";
export { type CsvLogOptions, csvLog } from "./log/csv-log.js";
export { drawCurve } from "./log/draw-curve.js";
export type { FileLog } from "./log/file-log.js";
export { type MetricsLogOptions, metricsLog } from "./log/metrics-log.js";
export type { Metrics, MetricsLogger, MetricsTaker } from "./log/metrics-logger.js";
export { type OnMetricsOptions, onMetrics } from "./log/on-metrics.js";
export { type PrometheusLog, type PrometheusLogOptions, prometheusLog } from "./log/prometheus-log.js";
export { isReportingOn, type ReportingChoice } from "./reporter/is-reporting-on.js";
export { type CaptureOptions, ServiceReporter } from "./reporter/service-reporter.js";
