/** The vocabulary of the API's own clients. */
const SYSTEMS: Readonly<Record<string, string>> = {
  darwin: "MacOS",
  linux: "Linux",
  win32: "Windows",
  freebsd: "FreeBSD",
  openbsd: "OpenBSD",
};

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ia32: "x32",
};

/** Facts that the headers tell of the machine. */
export interface Platform {
  readonly platform: string;
  readonly arch: string;
  readonly version: string;
}

/** Headers by which the service tells its clients apart. */
export function platformHeaders(machine: Platform, sdkVersion: string): Record<string, string> {
  return {
    "x-stainless-package-version": sdkVersion,
    "x-stainless-os": SYSTEMS[machine.platform] ?? `Other:${machine.platform}`,
    "x-stainless-arch": ARCHITECTURES[machine.arch] ?? `other:${machine.arch}`,
    "x-stainless-runtime": "node",
    "x-stainless-runtime-version": machine.version,
  };
}
