// For tests of programs that take a clock and a logger.
export { FakeClock, type FakeClockOptions, isOver, RecordingLogger, settle } from "@tinkex/base/testing";
