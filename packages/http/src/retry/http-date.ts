const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `Fri, 29 Sep 2023 16:26:57 GMT` and `Friday, 29-Sep-23 16:26:57 GMT`; the zone may be numeric. */
const DAY_FIRST =
  /^[a-z]+, *(\d{1,2})[ -]([a-z]{3})[ -](\d{4}|\d{2}) (\d{2}):(\d{2}):(\d{2}) (GMT|UTC|[+-]\d{4})$/i;
/** `Fri Sep 29 16:26:57 2023`, always UTC. */
const MONTH_FIRST = /^[a-z]+ ([a-z]{3}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * Reads the three date forms of HTTP (RFC 9110, 5.6.7), as milliseconds since the epoch. The weekday is not checked.
 * `Date.parse` would take other forms too, and the third one in the machine's own time zone.
 */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim();
  const first = DAY_FIRST.exec(trimmed);
  if (first !== null) {
    const [, day, month, year, hours, minutes, seconds, zone] = first;
    const utc = utcMs(fullYear(year), month, day, hours, minutes, seconds);
    return utc === undefined ? undefined : utc - zoneOffsetMs(zone);
  }
  const second = MONTH_FIRST.exec(trimmed);
  if (second !== null) {
    const [, month, day, hours, minutes, seconds, year] = second;
    return utcMs(Number(year), month, day, hours, minutes, seconds);
  }
  return undefined;
}

/** Two-digit years: 70 to 99 are of the last century. */
function fullYear(year = ""): number {
  const number = Number(year);
  return year.length === 4 ? number : number + (number < 70 ? 2000 : 1900);
}

function utcMs(year: number, month = "", ...rest: (string | undefined)[]): number | undefined {
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  const [day = 0, hours = 0, minutes = 0, seconds = 0] = rest.map(Number);
  return monthIndex < 0 ? undefined : Date.UTC(year, monthIndex, day, hours, minutes, seconds);
}

function zoneOffsetMs(zone = ""): number {
  if (!/^[+-]/.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}
