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

let ownUuid: string | undefined;

/** Gives the id of this process, or of this worker thread, shared by all its sessions. Not made while loading, which some runtimes forbid. */
export function processUuid(): string {
  ownUuid ??= randomUUID();
  return ownUuid;
}
