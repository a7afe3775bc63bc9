import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";

describe("AdminCalls", () => {
  it("newest-clients 41: ask for the storage of one project or of all, and for one kind of audit entries", async () => {
    const { stub, service } = await openService();
    stub.fallback = ({ path }) => ({ body: path.startsWith("audit") ? { entries: [] } : { data: [] } });
    await service.admin.getCurrentCheckpointStorageUsage();
    await service.admin.getCurrentCheckpointStorageUsage({ project_id: "p" });
    await service.admin.getAuditLog({ event_type: "teams" });
    await service.admin.getAuditLog({ day: new Date("2026-05-27T23:59:59Z") });
    await service.admin.getAuditLog({ day: "2026-05-27" });
    expect(stub.trace.filter((path) => /^(?:billing|audit)/.test(path))).toEqual([
      "billing/usage/checkpoints/current",
      "billing/usage/checkpoints/current?project_id=p",
      "audit?event_type=teams",
      "audit?event_type=all&day=2026-05-27",
      "audit?event_type=all&day=2026-05-27",
    ]);
    expect(stub.requests.at(-1)?.headers["x-sdk-method"]).toBe("AdminClient.get_audit_log");
  });

  it("clients 86: write dates and strings alike", async () => {
    const { stub, service } = await openService();
    stub.fallback = () => ({ body: { data: [] } });
    const [from, to] = ["2026-07-13T00:00:00Z", "2026-07-14T05:00:00Z"];
    await service.admin.getBillingUsage({ starting_on: new Date(from), ending_before: new Date(to) });
    await service.admin.getBillingUsage({ starting_on: from, ending_before: to });
    const sent = stub.requests.filter(({ path }) => path.startsWith("billing")).map(({ rawPath }) => rawPath);
    const expected =
      "billing/usage/events?starting_on=2026-07-13T00%3A00%3A00Z&ending_before=2026-07-14T05%3A00%3A00Z";
    expect(sent).toEqual([expected, expected]);
  });

  it.each([
    [
      { starting_on: "x", ending_before: "2026-07-14T00:00:00Z" },
      /getBillingUsage: starting_on: must be an RFC 3339 time/,
    ],
    [
      { starting_on: new Date(Number.NaN), ending_before: "2026-07-14T00:00:00Z" },
      /getBillingUsage: starting_on/,
    ],
    [
      { starting_on: "2026-07-14T00:00:00Z", ending_before: "2026-07-13T00:00:00Z" },
      /must be later than starting_on/,
    ],
    [{ starting_on: "2026-07-14T00:00:00Z" }, /getBillingUsage: ending_before/],
    [{ starting_on: "2026-07-14T00:00:00Z", endingBefore: "x" }, /endingBefore/],
    [undefined, /getBillingUsage: window must be an object/],
  ])("clients 86: refuse the window %j before anything is sent", async (window, message) => {
    const { stub, service } = await openService();
    expect(() => service.admin.getBillingUsage(window as never)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });

  it.each([
    [{ event_type: "team" }, /getAuditLog: event_type must be one of all, .*, got "team"/],
    [{ day: "yesterday" }, /getAuditLog: day must be a Date or YYYY-MM-DD, got "yesterday"/],
    [{ day: "2026-02-30" }, /getAuditLog: day must be/],
    [{ day: 5 }, /getAuditLog: day must be/],
  ])("refuse the audit log of %j before anything is sent", async (options, message) => {
    const { stub, service } = await openService();
    expect(() => service.admin.getAuditLog(options as never)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });
});
