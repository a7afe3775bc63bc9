import { getEventListeners } from "node:events";
import {
  gamble,
  type HostileServer,
  type ListenOptions,
  type Move,
  on,
  seededRandom,
  tunnel,
  work,
} from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "./operations/operations.js";
import { checkLedger } from "./testing/campaign/check-ledger.js";
import { FAULTS, proxyFaults, STALLS, socksFaults } from "./testing/campaign/faults.js";
import { activeResources, settledResources } from "./testing/campaign/resources.js";
import { type CallReport, runCampaign, STALL_HEADER } from "./testing/campaign/run-campaign.js";
import { fastClock } from "./testing/fast-clock.js";
import { eventually, startServer, transportTo } from "./testing/test-transport.js";
import type { TransportOptions } from "./transport-options.js";

/** The short campaign is part of every test run; `pnpm test:chaos` runs the long one. */
const calls = Number(process.env.TINKEX_CHAOS_CALLS ?? 1_500);
const seed = Number(process.env.TINKEX_CHAOS_SEED ?? 20_260_801);
const FAULT_SHARE = 0.2;
const PROXY_FAULT_SHARE = 0.2;
/** Fewer, for four kinds of proxy have their turn; no fewer than there are operations. */
const proxiedCalls = Math.max(100, Math.round(calls / 15));

/** Ends of a call that the campaign itself brings about, by signals and limits. */
const FORESEEN: ReadonlySet<string> = new Set(["succeeded", "aborted", "timed_out"]);
const GIVING_UP_SOON: ReadonlySet<string> = new Set(["none", "archive"]);

const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);

function tally(reports: readonly CallReport[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of reports) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Way to the server, and the proxies on it. */
type Route = (server: HostileServer) => Promise<{
  readonly url: string;
  readonly options: TransportOptions;
  readonly proxies: readonly HostileServer[];
}>;

const portOf = ({ url }: HostileServer): number => Number(new URL(url).port);

const directly: Route = async ({ url, ca }) => ({ url, options: ca === "" ? {} : { ca }, proxies: [] });

/** Leads through a proxy that fails for a share of the connections it is asked for. */
function throughProxy(faults: (port: number) => readonly Move[], more: Omit<ListenOptions, "script">): Route {
  return async (server) => {
    const port = portOf(server);
    const script = [gamble(PROXY_FAULT_SHARE, seed, faults(port), tunnel(port))];
    const proxy = await startServer({ ...more, script, tellsRequests: false });
    const scheme = server.url.startsWith("https") ? "https" : "http";
    return {
      url: `${scheme}://behind-proxy.test`,
      options: {
        proxy: { httpProxy: proxy.url, httpsProxy: proxy.url },
        ca: [server.ca, proxy.ca].filter(Boolean),
      },
      proxies: [proxy],
    };
  };
}

async function campaign(
  count: number,
  route: Route,
  more: Omit<ListenOptions, "script"> = {},
): Promise<void> {
  const script = [
    on({ header: [STALL_HEADER, "yes"] }, gamble(1, seed, STALLS, work)),
    gamble(FAULT_SHARE, seed, FAULTS, work),
  ];
  const server = await startServer({ ...more, script, tellsRequests: false });
  const { url, options, proxies } = await route(server);
  const before = activeResources();
  const rssBefore = megabytes();
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const transport = transportTo({ url }, { ...options, clock: fastClock(20), random });
  const longLived = new AbortController();

  const reports = await runCampaign(transport, count, random, longLived.signal);
  const seconds = (performance.now() - startedAt) / 1000;
  const ledger = await server.ledger();
  const requests = ledger.reduce((sum, { arrivals }) => sum + arrivals.length, 0);

  expect(reports, "every call settles").toHaveLength(count);
  expect(checkLedger(reports, ledger).slice(0, 20)).toEqual([]);
  expect(new Set(reports.map(({ operation }) => operation)), "every row of the table").toEqual(
    new Set(Object.keys(OPERATIONS)),
  );
  // Whatever is repeated gets through 20 % of faults; only calls that are sent once, or a few times, may fail.
  const unforeseen = reports.filter(
    ({ operation, outcome }) => !FORESEEN.has(outcome) && !GIVING_UP_SOON.has(OPERATIONS[operation].retry),
  );
  expect(unforeseen, "only calls that are not repeated fail").toEqual([]);

  expect(getEventListeners(longLived.signal, "abort"), "listeners left").toHaveLength(0);
  await transport.close();
  for (const each of [server, ...proxies])
    await eventually(() => `${each.open.size} open at ${each.url}`).toBe(`0 open at ${each.url}`);
  expect(await settledResources(before), "resources left").toEqual({});
  console.log(
    `seed ${seed}: ${count} calls in ${seconds.toFixed(1)} s, ${requests} requests, ${JSON.stringify(tally(reports))}, ` +
      `resident memory ${rssBefore} MB before, ${megabytes()} MB after`,
  );
}

// A failure shows the title, and with it the seed: TINKEX_CHAOS_SEED brings the same numbers again.
describe(`a campaign of faults, seed ${seed}`, { timeout: 600_000 }, () => {
  it(`${calls} calls of every operation: all settle, none is lost, doubled, mixed up or late, nothing is left`, () =>
    campaign(calls, directly));

  it.each<[string, Route, Omit<ListenOptions, "script">]>([
    ["an HTTP proxy", throughProxy(proxyFaults, {}), {}],
    ["an HTTP proxy to a server that speaks TLS", throughProxy(proxyFaults, {}), { tls: {} }],
    ["an HTTP proxy reached over TLS", throughProxy(proxyFaults, { tls: {} }), {}],
    ["a SOCKS5 proxy", throughProxy(socksFaults, { socks: {} }), { tls: {} }],
  ])(`the same of ${proxiedCalls} through %s that fails as well`, (_, route, more) =>
    campaign(proxiedCalls, route, more),
  );
});
