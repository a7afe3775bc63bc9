import { isReportingOn } from "@tinkex/telemetry";
import { call, type PublicCalls } from "../public-call.js";

export const telemetryCalls: PublicCalls = {
  isReportingOn: call(isReportingOn, () => [{ option: true, env: { TINKER_TELEMETRY: "1" } }]),
};
