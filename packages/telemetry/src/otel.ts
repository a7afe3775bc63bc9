export { SCHEMA_URL } from "./otel/schema-url.js";
