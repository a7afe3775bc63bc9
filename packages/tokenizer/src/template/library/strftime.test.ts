import { expect, it } from "vitest";
import { TemplateError } from "../values/template-error.js";
import { strftime } from "./strftime.js";

const WEEKS = "%G-%V-%u %g %U %W %w %j";
const TIMES = "%k|%l|%I|%P|%p|%r|%R|%X|%-I|%-k|%-M";
const DATES = "%c|%C|%D|%F|%x|%h|%e|%-e|%-d|%y|%%|%-%|%z%Z|%n%t";

// Results of datetime.strftime of Python 3.12 on Linux.
it.each([
  [[2026, 0, 1, 0, 5, 9], WEEKS, "2026-01-4 26 00 00 4 001"],
  [[2027, 0, 3, 12, 0, 0], WEEKS, "2026-53-7 26 01 00 0 003"],
  [[2024, 11, 30, 13, 59, 59], WEEKS, "2025-01-1 25 52 53 1 365"],
  [[2023, 0, 1, 1, 1, 1], WEEKS, "2022-52-7 22 01 00 0 001"],
  [[2026, 0, 1, 0, 5, 9], TIMES, " 0|12|12|am|AM|12:05:09 AM|00:05|00:05:09|12|0|5"],
  [[2026, 10, 29, 23, 7, 8], TIMES, "23|11|11|pm|PM|11:07:08 PM|23:07|23:07:08|11|23|7"],
  [
    [2026, 0, 1, 0, 5, 9],
    DATES,
    "Thu Jan  1 00:05:09 2026|20|01/01/26|2026-01-01|01/01/26|Jan| 1|1|1|26|%|%||\n\t",
  ],
] as const)("writes %j as Python does: %s", ([year, month, ...rest], format, text) => {
  expect(strftime(new Date(year, month, ...rest), format)).toBe(text);
});

it.each(["%f", "%s", "%Q", "%"])("refuses %j", (format) => {
  expect(() => strftime(new Date(2026, 0, 1), format)).toThrow(TemplateError);
});
