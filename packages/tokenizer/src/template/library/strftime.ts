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

/** Writes a local time by the letters of Python's `strftime`, in English as Python's default locale has it. */
export function strftime(time: Date, format: string): string {
  return format.replace(/%(-?)(.?)/gsu, (_, dash: string, letter: string) => {
    const part = partOf(time, letter);
    if (part === undefined) throw unsupported(`'%${letter}' of 'strftime_now'`);
    if (dash === "") return part;
    if (!/^\d+$/.test(part)) throw unsupported(`'%-${letter}' of 'strftime_now'`);
    return String(Number(part));
  });
}

function partOf(time: Date, letter: string): string | undefined {
  const two = (number: number) => String(number).padStart(2, "0");
  const hour12 = time.getHours() % 12 === 0 ? 12 : time.getHours() % 12;
  switch (letter) {
    case "Y":
      return String(time.getFullYear());
    case "y":
      return two(time.getFullYear() % 100);
    case "m":
      return two(time.getMonth() + 1);
    case "d":
      return two(time.getDate());
    case "e":
      return String(time.getDate()).padStart(2, " ");
    case "H":
      return two(time.getHours());
    case "I":
      return two(hour12);
    case "M":
      return two(time.getMinutes());
    case "S":
      return two(time.getSeconds());
    case "p":
      return time.getHours() < 12 ? "AM" : "PM";
    case "A":
      return DAYS[time.getDay()] ?? "";
    case "a":
      return (DAYS[time.getDay()] ?? "").slice(0, 3);
    case "B":
      return MONTHS[time.getMonth()] ?? "";
    case "b":
    case "h":
      return (MONTHS[time.getMonth()] ?? "").slice(0, 3);
    case "j":
      return String(dayOfYear(time)).padStart(3, "0");
    case "w":
      return String(time.getDay());
    case "F":
      return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
    case "T":
      return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
    case "%":
      return "%";
    default:
      return undefined;
  }
}

function dayOfYear(time: Date): number {
  const midnight = (month: number, day: number) => Date.UTC(time.getFullYear(), month, day);
  return (midnight(time.getMonth(), time.getDate()) - midnight(0, 0)) / 86_400_000;
}
