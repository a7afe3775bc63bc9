/** Address of the OpenTelemetry conventions whose names our spans and metrics have. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.42.0";
