// For tests of code that takes a clock and a logger.
export { FakeClock, type FakeClockOptions, settle } from "./testing/fake-clock.js";
export { isOver } from "./testing/is-over.js";
export { RecordingLogger } from "./testing/recording-logger.js";
