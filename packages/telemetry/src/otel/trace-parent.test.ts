import { createTraceState } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { readTraceParent, traceHeaders } from "./trace-parent.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

it("writes what it reads, the state of vendors too", () => {
  const headers = traceHeaders({
    traceId: TRACE,
    spanId: SPAN,
    traceFlags: 1,
    traceState: createTraceState("a=1,b=2"),
  });
  expect(headers).toEqual({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "a=1,b=2" });
  expect(readTraceParent(headers.traceparent)).toEqual({
    traceId: TRACE,
    spanId: SPAN,
    traceFlags: 1,
    isRemote: true,
  });
});

it.each([
  ["a span that is not sampled", `00-${TRACE}-${SPAN}-00`, 0],
  ["flags that are not known", `00-${TRACE}-${SPAN}-03`, 1],
  ["a later version with a further field", `01-${TRACE}-${SPAN}-01-more`, 1],
  ["the last of two, as a proxy adds its own", `00-${"1".repeat(32)}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, 1],
])("reads %s", (_, header, traceFlags) => {
  expect(readTraceParent(header)).toMatchObject({ traceId: TRACE, traceFlags });
});

it.each([
  ["nothing", undefined],
  ["an empty header", ""],
  ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["the version that cannot be", `ff-${TRACE}-${SPAN}-01`],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["an id that is too short", `00-${TRACE.slice(1)}-${SPAN}-01`],
  ["a tail without its hyphen", `00-${TRACE}-${SPAN}-01x`],
])("takes %s for no parent", (_, header) => {
  expect(readTraceParent(header)).toBeUndefined();
});
