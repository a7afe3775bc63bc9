import {
  AdminClient,
  checkAccess,
  consoleUrls,
  getTinkerToken,
  hasCredentials,
  RestClient,
  type ServiceClient,
} from "@tinkex/client";
import { call, type PublicCalls } from "../public-call.js";

const path = "tinker://run/weights/a";
const wait = () => ({ timeoutMs: 50, signal: new AbortController().signal });
const connection = () => ({
  baseUrl: "http://127.0.0.1:9",
  apiKey: "tml-abc",
  env: {},
  headers: { x: "y" },
  retry: {},
  pools: {},
  timeoutMs: 50,
});
const places = () => ({ baseUrl: "http://127.0.0.1:9", apiKey: "tml-abc", env: {} });

/** Methods of `service.rest` and `service.admin`, and the checks of access. */
export function restCalls(service: ServiceClient): PublicCalls {
  const { rest, admin } = service;
  const byPath = (run: (...args: never[]) => unknown) => call(run, () => [path, wait()]);
  const byId = (run: (...args: never[]) => unknown) => call(run, () => ["id", wait()]);
  const byScope = (run: (...args: never[]) => unknown) =>
    call(run, () => ["id", { ...wait(), access_scope: "owned" }]);
  return {
    RestClient: call(
      (options: ConstructorParameters<typeof RestClient>[0]) => new RestClient(options),
      () => [connection()],
    ),
    AdminClient: call(
      (options: ConstructorParameters<typeof AdminClient>[0]) => new AdminClient(options),
      () => [connection()],
    ),
    checkAccess: call(checkAccess, () => [{ ...connection(), ...wait() }]),
    hasCredentials: call(hasCredentials, () => [places()]),
    getTinkerToken: call(getTinkerToken, () => [places()]),
    "consoleUrls.session": call(consoleUrls.session, () => ["s"]),
    "consoleUrls.trainingRun": call(consoleUrls.trainingRun, () => ["r"]),
    "consoleUrls.checkpoint": call(consoleUrls.checkpoint, () => [path]),
    "consoleUrls.playground": call(consoleUrls.playground, () => [path]),
    "service.copyWeights": call(service.copyWeights.bind(service), () => [
      path,
      { ...wait(), ttl_seconds: 60, weights_access_token: "t" },
    ]),
    "rest.getServerCapabilities": call(rest.getServerCapabilities.bind(rest), () => [wait()]),
    "rest.whoami": call(rest.whoami.bind(rest), () => [wait()]),
    "rest.listTrainingRuns": call(rest.listTrainingRuns.bind(rest), () => [
      { ...wait(), limit: 1, offset: 0, access_scope: "owned", project_id: "p" },
    ]),
    "rest.trainingRuns": call(
      (options: Parameters<typeof rest.trainingRuns>[0]) => rest.trainingRuns(options).toArray(),
      () => [{ ...wait(), pageSize: 1, access_scope: "owned", project_id: "p", base_model: "b" }],
    ),
    "rest.getTrainingRun": byScope(rest.getTrainingRun.bind(rest)),
    "rest.getTrainingRunByTinkerPath": call(rest.getTrainingRunByTinkerPath.bind(rest), () => [
      path,
      { ...wait(), access_scope: "owned" },
    ]),
    "rest.getWeightsInfoByTinkerPath": byPath(rest.getWeightsInfoByTinkerPath.bind(rest)),
    "rest.listCheckpoints": byId(rest.listCheckpoints.bind(rest)),
    "rest.listUserCheckpoints": call(rest.listUserCheckpoints.bind(rest), () => [
      { ...wait(), limit: 1, offset: 0 },
    ]),
    "rest.userCheckpoints": call(
      (options: Parameters<typeof rest.userCheckpoints>[0]) => rest.userCheckpoints(options).toArray(),
      () => [{ ...wait(), pageSize: 1, checkpoint_type: "training" }],
    ),
    "rest.latestCheckpoint": call(rest.latestCheckpoint.bind(rest), () => [
      "id",
      { ...wait(), checkpoint_type: "training" },
    ]),
    "rest.prune": call(rest.prune.bind(rest), () => [
      "id",
      {
        ...wait(),
        keep: 1,
        olderThan: new Date(0),
        checkpoint_type: "sampler",
        includePublic: true,
        dryRun: true,
      },
    ]),
    "rest.deleteCheckpoint": call(rest.deleteCheckpoint.bind(rest), () => ["id", "weights/a", wait()]),
    "rest.deleteCheckpointFromTinkerPath": byPath(rest.deleteCheckpointFromTinkerPath.bind(rest)),
    "rest.publishCheckpointFromTinkerPath": call(rest.publishCheckpointFromTinkerPath.bind(rest), () => [
      path,
      { ...wait(), ifAlready: "ok" },
    ]),
    "rest.unpublishCheckpointFromTinkerPath": call(rest.unpublishCheckpointFromTinkerPath.bind(rest), () => [
      path,
      { ...wait(), ifAlready: "ok" },
    ]),
    "rest.setCheckpointTtlFromTinkerPath": call(rest.setCheckpointTtlFromTinkerPath.bind(rest), () => [
      path,
      60,
      wait(),
    ]),
    "rest.copyWeights": call(rest.copyWeights.bind(rest), () => [
      path,
      { ...wait(), ttl_seconds: 60, weights_access_token: "t", destination_project_id: "p" },
    ]),
    "rest.getExternalWeightsUrls": call(rest.getExternalWeightsUrls.bind(rest), () => [
      "tinker://run/external_weights/a",
      wait(),
    ]),
    "rest.downloadCheckpoint": call(rest.downloadCheckpoint.bind(rest), () => [
      "tinker://run/external_weights/a",
      "downloads/a",
      { ...wait(), onProgress: () => {}, maxBytes: 1_000, maxFiles: 10, maxRatio: 10, flush: false },
    ]),
    "rest.getCheckpointArchiveUrl": call(rest.getCheckpointArchiveUrl.bind(rest), () => [
      "id",
      "weights/a",
      wait(),
    ]),
    "rest.getCheckpointArchiveUrlFromTinkerPath": byPath(
      rest.getCheckpointArchiveUrlFromTinkerPath.bind(rest),
    ),
    "rest.listSessions": call(rest.listSessions.bind(rest), () => [
      { ...wait(), limit: 1, offset: 0, access_scope: "owned" },
    ]),
    "rest.sessions": call(
      (options: Parameters<typeof rest.sessions>[0]) => rest.sessions(options).toArray(),
      () => [{ ...wait(), pageSize: 1, access_scope: "owned" }],
    ),
    "rest.getSession": byScope(rest.getSession.bind(rest)),
    "rest.searchSessions": call(rest.searchSessions.bind(rest), () => [search(), wait()]),
    "rest.foundSessions": call(
      (...args: Parameters<typeof rest.foundSessions>) => rest.foundSessions(...args).toArray(),
      () => [search(), wait()],
    ),
    "rest.assignSessionProject": call(rest.assignSessionProject.bind(rest), () => ["id", "p", wait()]),
    "rest.exportSessionTrace": byId(rest.exportSessionTrace.bind(rest)),
    "rest.getSampler": byId(rest.getSampler.bind(rest)),
    "admin.getBillingUsage": call(admin.getBillingUsage.bind(admin), () => [
      { starting_on: "2026-07-13T00:00:00Z", ending_before: "2026-07-14T00:00:00Z" },
      wait(),
    ]),
    "admin.getCurrentCheckpointStorageUsage": call(admin.getCurrentCheckpointStorageUsage.bind(admin), () => [
      { ...wait(), project_id: "p" },
    ]),
    "admin.getAuditLog": call(admin.getAuditLog.bind(admin), () => [
      { ...wait(), event_type: "all", day: "2026-05-27" },
    ]),
  };
}

const search = () => ({
  display_name: "d",
  user_metadata: { a: "b" },
  owner: { type: "user", owner_urns: ["u"] },
  statuses: [{ type: "active" }],
  limit: 1,
});
