import { randomUUID } from "node:crypto";

/** Names of operating systems as the service knows them. */
const PLATFORMS: Readonly<Record<string, string>> = {
  aix: "AIX",
  android: "Linux",
  darwin: "Darwin",
  freebsd: "FreeBSD",
  linux: "Linux",
  openbsd: "OpenBSD",
  sunos: "SunOS",
  win32: "Windows",
};

/** Names an operating system as the service knows it. @param platform - as Node names it */
export function platformName(platform: string): string {
  return PLATFORMS[platform] ?? platform;
}

/** Id of this process, or of this worker thread, shared by all its sessions. */
export const PROCESS_UUID = randomUUID();
