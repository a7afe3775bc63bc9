// Traces one training step through the client and a local server, and prints the spans of both as one tree. Give
// OTEL_EXPORTER_OTLP_ENDPOINT to send them to a collector, Jaeger or Grafana instead of keeping them in memory alone.
//
//   node apps/examples/dist/trace-step.js
//   OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node apps/examples/dist/trace-step.js
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { startLocalServer } from "@tinkex/local";
import { instrument, serverTracer } from "@tinkex/telemetry/otel";
import { ServiceClient } from "tinkex";
import { traceTree } from "./trace/trace-tree.js";

const memory = new InMemorySpanExporter();
const isExported = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
const exporters = isExported ? [memory, new OTLPTraceExporter()] : [memory];
const provider = new BasicTracerProvider({
  spanProcessors: exporters.map((exporter) => new SimpleSpanProcessor(exporter)),
});
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

await using server = await startLocalServer({ tracer: serverTracer() });
await using service = new ServiceClient({ baseUrl: server.url });
const training = await service.createLoraTrainingClient({ base_model: "tinkex/pocket-1", rank: 8, seed: 1 });
const tokens = (await training.getTokenizer()).encode("the cat sat on the mat");
const datum = { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } };

memory.reset();
const undo = instrument();
const passed = training.forwardBackward([datum], "cross_entropy");
await training.optimStep({ learning_rate: 1e-3 });
await passed;
undo();

console.log(traceTree(memory.getFinishedSpans()));
await provider.shutdown();
