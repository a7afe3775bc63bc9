/** Python switches to exponents at these powers of ten, JavaScript at others. */
const [MIN_EXPONENT, MAX_EXPONENT] = [-4, 16];

/** A number with a fraction as Python's `repr` writes it: the shortest digits that give the same number. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const power = Number(exponent);
  const sign = value < 0 ? "-" : "";
  if (power < MIN_EXPONENT || power >= MAX_EXPONENT) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const shown = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    return `${sign}${digits.charAt(0)}${fraction}e${shown}`;
  }
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const padded = digits.padEnd(power + 1, "0");
  return `${sign}${padded.slice(0, power + 1)}.${padded.slice(power + 1) || "0"}`;
}
