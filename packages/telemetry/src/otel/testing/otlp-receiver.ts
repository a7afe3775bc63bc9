import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Value of an attribute as OTLP writes it in JSON. */
interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** A span, of which a collector leaves out the lists that are empty. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly OtlpAttribute[] }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly schemaUrl?: string; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span as it came over the wire, its attributes as an object. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: "internal" | "server" | "client";
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly hasFailed: boolean;
  readonly statusMessage: string | undefined;
  readonly schemaUrl: string | undefined;
}

const KINDS = ["internal", "internal", "server", "client"] as const;

/** A receiver of OTLP/HTTP on loopback, until the test ends. */
export async function startReceiver(): Promise<{ readonly url: string; readonly spans: ReceivedSpan[] }> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request)) as OtlpRequest;
    for (const { scopeSpans } of resourceSpans) {
      for (const { schemaUrl, spans: received } of scopeSpans) {
        spans.push(...received.map((span) => readSpan(span, schemaUrl)));
      }
    }
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/traces`, spans };
}

function readSpan(span: OtlpSpan, schemaUrl: string | undefined): ReceivedSpan {
  return {
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    kind: KINDS[span.kind] ?? "internal",
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    attributes: readAttributes(span.attributes),
    events: (span.events ?? []).map(({ name, attributes }) => ({
      name,
      attributes: readAttributes(attributes),
    })),
    hasFailed: span.status?.code === 2,
    statusMessage: span.status?.message,
    schemaUrl,
  };
}

function readAttributes(attributes: readonly OtlpAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue({ stringValue, intValue, doubleValue, arrayValue }: OtlpValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(readValue);
  return stringValue ?? doubleValue ?? Number(intValue);
}

/** Draws the spans below one as lines, indented, in the order in which they began; of those that are told apart by nothing, one. */
export function drawTree(spans: readonly ReceivedSpan[], root: ReceivedSpan, depth = 0): string[] {
  const children = spans
    .filter(({ parentSpanId }) => parentSpanId === root.spanId)
    .sort((a, b) => Number(a.startNs - b.startNs));
  const line = `${"  ".repeat(depth)}${root.name}${root.hasFailed ? " failed" : ""}`;
  return [line, ...children.flatMap((child) => drawTree(spans, child, depth + 1))];
}
