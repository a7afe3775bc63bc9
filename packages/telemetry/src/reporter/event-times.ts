/** Last moment that a date can hold, in milliseconds since 1970. */
const MAX_DATE_MS = 8.64e15;

/** Writes a moment with six digits of a second, as the official SDK does. @param givenMs - milliseconds since 1970 */
export function eventTimestamp(givenMs: number): string {
  // A clock of the caller's may say anything.
  const atMs = Math.abs(givenMs) <= MAX_DATE_MS ? givenMs : 0;
  const whole = Math.floor(atMs);
  const micros = Math.floor((atMs - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;

/** Writes an interval as Python writes one, which is what the service has always received: `0:00:00.270819`, `1 day, 2:03:04`. */
export function durationText(durationMs: number): string {
  const total = Math.round(Math.max(0, durationMs) * 1000);
  const days = Math.floor(total / DAY_US);
  const hours = Math.floor((total % DAY_US) / HOUR_US);
  const minutes = Math.floor((total % HOUR_US) / MINUTE_US);
  const seconds = Math.floor((total % MINUTE_US) / SECOND_US);
  const micros = total % SECOND_US;
  const clock = `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}`;
  const fraction = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`;
  const day = days === 0 ? "" : `${days} day${days === 1 ? "" : "s"}, `;
  return `${day}${clock}${fraction}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
