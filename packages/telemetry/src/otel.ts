export type { Decode } from "./otel/content-attributes.js";
export { SCHEMA_URL } from "./otel/conventions.js";
export { type InstrumentOptions, instrument } from "./otel/instrument.js";
export { type ServerTracerOptions, serverTracer } from "./otel/server-tracer.js";
