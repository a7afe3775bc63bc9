import { unsupported } from "../values/template-error.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Writes a local time by the letters of Python's `strftime` on Linux, in English as Python's default locale has it. */
export function strftime(time: Date, format: string): string {
  return format.replace(/%(-?)(.?)/gsu, (_, dash: string, letter: string) => {
    const composed = Object.hasOwn(COMPOSED, letter) ? COMPOSED[letter] : undefined;
    if (composed !== undefined) return strftime(time, composed);
    const part = Object.hasOwn(PARTS, letter) ? PARTS[letter]?.(time) : undefined;
    if (part === undefined) throw unsupported(`'%${letter}' of 'strftime_now'`);
    return dash !== "" && /^[ \d]\d*$/.test(part) ? String(Number(part)) : part;
  });
}

const COMPOSED: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

const PARTS: Readonly<Record<string, (time: Date) => string>> = {
  Y: (time) => String(time.getFullYear()),
  C: (time) => two(Math.floor(time.getFullYear() / 100)),
  y: (time) => two(time.getFullYear() % 100),
  G: (time) => String(thursdayOf(time).getFullYear()),
  g: (time) => two(thursdayOf(time).getFullYear() % 100),
  m: (time) => two(time.getMonth() + 1),
  B: (time) => MONTHS[time.getMonth()] ?? "",
  b: (time) => (MONTHS[time.getMonth()] ?? "").slice(0, 3),
  h: (time) => (MONTHS[time.getMonth()] ?? "").slice(0, 3),
  d: (time) => two(time.getDate()),
  e: (time) => two(time.getDate(), " "),
  j: (time) => String(dayOfYear(time)).padStart(3, "0"),
  U: (time) => two(weekOfYear(time, time.getDay())),
  W: (time) => two(weekOfYear(time, isoDay(time) - 1)),
  V: (time) => two(Math.ceil(dayOfYear(thursdayOf(time)) / 7)),
  A: (time) => DAYS[time.getDay()] ?? "",
  a: (time) => (DAYS[time.getDay()] ?? "").slice(0, 3),
  u: (time) => String(isoDay(time)),
  w: (time) => String(time.getDay()),
  H: (time) => two(time.getHours()),
  k: (time) => two(time.getHours(), " "),
  I: (time) => two(hour12(time)),
  l: (time) => two(hour12(time), " "),
  M: (time) => two(time.getMinutes()),
  S: (time) => two(time.getSeconds()),
  p: (time) => (time.getHours() < 12 ? "AM" : "PM"),
  P: (time) => (time.getHours() < 12 ? "am" : "pm"),
  // The time that templates get has no zone.
  z: () => "",
  Z: () => "",
  n: () => "\n",
  t: () => "\t",
  "%": () => "%",
};

function two(number: number, fill = "0"): string {
  return String(number).padStart(2, fill);
}

function hour12(time: Date): number {
  return time.getHours() % 12 === 0 ? 12 : time.getHours() % 12;
}

/** Counts from Monday, which is 1. */
function isoDay(time: Date): number {
  return time.getDay() === 0 ? 7 : time.getDay();
}

/** The Thursday of the same week, whose year is that of the week in ISO 8601. */
function thursdayOf(time: Date): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() + 4 - isoDay(time));
}

/** Number of weeks begun, the days before the first whole one being week 0. @param day - days since the week began */
function weekOfYear(time: Date, day: number): number {
  return Math.floor((dayOfYear(time) + 6 - day) / 7);
}

function dayOfYear(time: Date): number {
  const midnight = (month: number, day: number) => Date.UTC(time.getFullYear(), month, day);
  return (midnight(time.getMonth(), time.getDate()) - midnight(0, 0)) / 86_400_000;
}
