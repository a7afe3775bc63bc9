import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { judgeOwner } from "./judge-owner.js";
import { processIdentitySchema, systemProcesses } from "./process-table.js";

const isLinux = process.platform === "linux";

describe("systemProcesses", () => {
  it("knows this process as one that runs", () => {
    const processes = systemProcesses();
    expect(processIdentitySchema.parse(processes.self)).toEqual(processes.self);
    expect(judgeOwner(processes.self, processes)).toBe(isLinux ? "running" : "unknown");
  });

  it("sees a child run, and end", async () => {
    const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    const processes = systemProcesses();
    const pid = child.pid ?? 0;
    const found = processes.lookUp(pid);
    expect(found).not.toBe("gone");
    const owner = { ...processes.self, pid, ...(found === "gone" ? {} : found) };
    expect(judgeOwner(owner, processes)).toBe(isLinux ? "running" : "unknown");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(judgeOwner(owner, processes)).toBe("gone");
  });

  it.runIf(isLinux)("takes a zombie for ended", async () => {
    // The shell becomes a program that never asks for the child it had.
    const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 30"]);
    const [line] = await once(parent.stdout, "data");
    const pid = Number(String(line));
    await expect.poll(() => systemProcesses().lookUp(pid)).toBe("gone");
    expect(() => process.kill(pid, 0)).not.toThrow();
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  it.runIf(isLinux)("tells two processes of one id by their start", () => {
    const processes = systemProcesses();
    expect(judgeOwner({ ...processes.self, startedAt: "1" }, processes)).toBe("gone");
  });
});
