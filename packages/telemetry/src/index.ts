export { isReportingOn, type ReportingChoice } from "./reporter/is-reporting-on.js";
