export { describeRecords } from "./descriptions/describe-records.js";
