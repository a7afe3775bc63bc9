import {
  consoleLog,
  csvLog,
  drawCurve,
  isReportingOn,
  metricsLog,
  onMetrics,
  prometheusLog,
  ServiceReporter,
} from "@tinkex/telemetry";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

const session = () => ({
  clientId: "c",
  sessionId: "s",
  sdkVersion: "0.38.0",
  clock,
  logger,
  send: async () => {},
});

export const telemetryCalls: PublicCalls = {
  isReportingOn: call(isReportingOn, () => [{ isWanted: true, env: { TINKER_TELEMETRY: "1" } }]),
  // Ended at once, so that none is open when the process ends.
  "ServiceReporter.begin": call(
    (given: ReturnType<typeof session>) => new ServiceReporter().begin(given).close(),
    () => [session()],
  ),
  "ServiceReporter.log": call(
    (name: string, data: { examples: number }, severity: "INFO") =>
      new ServiceReporter().log(name, data, severity),
    () => ["evaluation.started", { examples: 200 }, "INFO"],
  ),
  "ServiceReporter.logException": call(
    (error: Error, severity: "ERROR") => new ServiceReporter().logException(error, severity),
    () => [new Error("x"), "ERROR"],
  ),
  "ServiceReporter.capture": call(
    (run: () => number, options: { fatal: boolean; severity: "ERROR" }) =>
      new ServiceReporter().capture(run, options),
    () => [() => 1, { fatal: false, severity: "ERROR" }],
  ),
  consoleLog: call(consoleLog, () => [{ totalSteps: 3 }]),
  csvLog: call(csvLog, () => [{ file: "metrics.csv" }]),
  drawCurve: call(drawCurve, () => [[3, 2, 1]]),
  metricsLog: call(metricsLog, () => [{ directory: "run", config: { rank: 8 }, logger }]),
  onMetrics: call(
    (taker: () => void, options: { modelId: string; firstStep: number }) => onMetrics(taker, options)(),
    () => [() => {}, { modelId: "m", firstStep: 2 }],
  ),
  prometheusLog: call(prometheusLog, () => [{ labels: { run: "a" } }]),
};
