import { resolve } from "node:path";
import type { WeightsInfoResponse } from "@tinkex/types";
import {
  checkDownload,
  DOWNLOAD_OPTIONS,
  type DownloadCheckpointOptions,
  type DownloadedCheckpoint,
} from "../downloads/download-options.js";
import type { ApiFuture } from "../future/api-future.js";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { checkId } from "./check-id.js";
import { pathOfIds } from "./checkpoint-parts.js";
import { checkTtl, setTtl } from "./checkpoint-ttl.js";
import {
  type ArchiveUrl,
  checkExternal,
  type ExternalWeightsUrls,
  readArchiveUrl,
  readExternalUrls,
} from "./checkpoint-urls.js";
import {
  CHECKPOINTS_PER_PAGE,
  checkCheckpointType,
  LIST_USER_CHECKPOINTS_OPTIONS,
  type ListedCheckpoint,
  type ListedCheckpoints,
  type ListUserCheckpointsOptions,
  readRunCheckpoints,
  readUserCheckpoints,
  USER_CHECKPOINTS_OPTIONS,
  type UserCheckpointsOptions,
} from "./checkpoints.js";
import { COPY_WEIGHTS_OPTIONS, type CopyWeightsOptions, checkCopy, copyWeights } from "./copy-weights.js";
import { deleteCheckpoint } from "./delete-checkpoint.js";
import { openSource } from "./download-source.js";
import { type PathWork, readPath, startOnPath } from "./given-path.js";
import {
  LATEST_CHECKPOINT_OPTIONS,
  type LatestCheckpointOptions,
  readLatestCheckpoint,
} from "./latest-checkpoint.js";
import { checkCount, checkPage, noteLocalFilter, offsetPages } from "./offset-pages.js";
import type { PageList } from "./page-list.js";
import {
  checkPruneOptions,
  PRUNE_OPTIONS,
  type PruneOptions,
  type PruneResult,
  pruneCheckpoints,
} from "./prune-checkpoints.js";
import { checkIfAlready, PUBLISH_OPTIONS, type PublishOptions, setPublished } from "./publish-checkpoint.js";
import type { RestContext } from "./rest-context.js";
import { type RestRequest, startRest } from "./rest-request.js";

/**
 * Calls on checkpoints. `tinker_path` is that of one, `tinker://<run>/<weights|sampler_weights|external_weights>/<name>`. A bare run
 * id in its place is refused with the paths of that run's checkpoints, for which the service is asked.
 */
export class CheckpointCalls {
  readonly #context: RestContext;

  /** @internal */
  constructor(context: RestContext) {
    this.#context = context;
  }

  /** Tells what a checkpoint holds: the base model, the adapter's rank and parts, the optimizer. */
  getWeightsInfoByTinkerPath(tinker_path: string, options: CallOptions = {}): ApiFuture<WeightsInfoResponse> {
    this.#check("getWeightsInfoByTinkerPath", options, CALL_OPTIONS);
    return this.#onPath("getWeightsInfoByTinkerPath", tinker_path, options, (request, path) =>
      request.ask("weights_info", { tinker_path: path.tinker_path }, {}),
    );
  }

  /** Gives all checkpoints of a training run. */
  listCheckpoints(training_run_id: string, options: CallOptions = {}): ApiFuture<ListedCheckpoints> {
    this.#check("listCheckpoints", options, CALL_OPTIONS);
    const run = checkId("listCheckpoints", "training_run_id", training_run_id);
    return this.#start("listCheckpoints", options, (request) => readRunCheckpoints(request, run));
  }

  /** Gives one page of the caller's checkpoints, newest first. */
  listUserCheckpoints(options: ListUserCheckpointsOptions = {}): ApiFuture<ListedCheckpoints> {
    this.#check("listUserCheckpoints", options, LIST_USER_CHECKPOINTS_OPTIONS);
    const page = checkPage("listUserCheckpoints", options, CHECKPOINTS_PER_PAGE);
    return this.#start("listUserCheckpoints", options, (request) => readUserCheckpoints(request, page));
  }

  /**
   * Walks through all the caller's checkpoints, newest first, 100 a page where no `pageSize` is given. Those that are given may be deleted
   * on the way: where the list has become shorter, what has moved up is read again, so that every other one is given, once.
   */
  userCheckpoints(options: UserCheckpointsOptions = {}): PageList<ListedCheckpoint, ListedCheckpoints> {
    this.#check("userCheckpoints", options, USER_CHECKPOINTS_OPTIONS);
    const { pageSize = CHECKPOINTS_PER_PAGE, checkpoint_type: type, ...call } = options;
    checkCount("userCheckpoints", "pageSize", pageSize, 1);
    checkCheckpointType("userCheckpoints", type);
    if (type !== undefined) noteLocalFilter(this.#context, "userCheckpoints", "checkpoint_type");
    return offsetPages(pageSize, {
      method: "userCheckpoints",
      readPage: (page) => this.listUserCheckpoints({ ...call, ...page }),
      itemsOf: ({ checkpoints }) => checkpoints,
      cursorOf: ({ cursor }) => cursor,
      idOf: ({ tinker_path }) => tinker_path,
      isWanted: type === undefined ? undefined : (checkpoint) => checkpoint.checkpoint_type === type,
    });
  }

  /** Gives the newest checkpoint of a run, to go on from; `undefined` when there is none whose time is not over. */
  latestCheckpoint(
    training_run_id: string,
    options: LatestCheckpointOptions = {},
  ): ApiFuture<ListedCheckpoint | undefined> {
    this.#check("latestCheckpoint", options, LATEST_CHECKPOINT_OPTIONS);
    const run = checkId("latestCheckpoint", "training_run_id", training_run_id);
    checkCheckpointType("latestCheckpoint", options.checkpoint_type);
    return this.#start("latestCheckpoint", options, (request) => readLatestCheckpoint(request, run, options));
  }

  /**
   * Deletes old checkpoints of a run: all but the newest of each type, those made before a date, or what both rules let go.
   *
   * @param options - `keep` or `olderThan` must be given; `dryRun: true` tells what would go
   * @throws ResponseError, before anything is deleted, when the service's list has a path that is none or is of another run
   *
   * @example
   * const { deleted } = await service.rest.prune(run, { keep: 3, dryRun: true });
   */
  prune(training_run_id: string, options: PruneOptions): ApiFuture<PruneResult> {
    this.#check("prune", options, PRUNE_OPTIONS);
    const run = checkId("prune", "training_run_id", training_run_id);
    checkPruneOptions(options);
    return this.#start("prune", options, (request) => pruneCheckpoints(request, run, options));
  }

  /** Deletes a checkpoint. @param checkpoint_id - folder and name, e.g. `weights/0001` */
  deleteCheckpoint(
    training_run_id: string,
    checkpoint_id: string,
    options: CallOptions = {},
  ): ApiFuture<void> {
    this.#check("deleteCheckpoint", options, CALL_OPTIONS);
    const path = pathOfIds("deleteCheckpoint", training_run_id, checkpoint_id);
    return this.#onPath("deleteCheckpoint", path, options, deleteCheckpoint);
  }

  /** Deletes a checkpoint. */
  deleteCheckpointFromTinkerPath(tinker_path: string, options: CallOptions = {}): ApiFuture<void> {
    this.#check("deleteCheckpointFromTinkerPath", options, CALL_OPTIONS);
    return this.#onPath("deleteCheckpointFromTinkerPath", tinker_path, options, deleteCheckpoint);
  }

  /** Lets everybody read a checkpoint. @throws ApiStatusError with code `conflict` when it is public already */
  publishCheckpointFromTinkerPath(tinker_path: string, options: PublishOptions = {}): ApiFuture<void> {
    return this.#publish("publishCheckpointFromTinkerPath", tinker_path, true, options);
  }

  /** Lets nobody but its owner read a checkpoint. @throws ApiStatusError with code `conflict` when that is so already */
  unpublishCheckpointFromTinkerPath(tinker_path: string, options: PublishOptions = {}): ApiFuture<void> {
    return this.#publish("unpublishCheckpointFromTinkerPath", tinker_path, false, options);
  }

  /** Sets how long the service keeps a checkpoint, in seconds from now. @param ttl_seconds - null: for ever */
  setCheckpointTtlFromTinkerPath(
    tinker_path: string,
    ttl_seconds: number | null,
    options: CallOptions = {},
  ): ApiFuture<void> {
    this.#check("setCheckpointTtlFromTinkerPath", options, CALL_OPTIONS);
    checkTtl("setCheckpointTtlFromTinkerPath", ttl_seconds);
    return this.#onPath("setCheckpointTtlFromTinkerPath", tinker_path, options, (request, path) =>
      setTtl(request, path, ttl_seconds),
    );
  }

  /**
   * Copies a checkpoint to a project. Nothing is stored twice; the copy keeps its type, in a new run that cannot be trained.
   *
   * @returns the path of the copy
   */
  copyWeights(tinker_path: string, options: CopyWeightsOptions = {}): ApiFuture<string> {
    this.#check("copyWeights", options, COPY_WEIGHTS_OPTIONS);
    const copy = checkCopy("copyWeights", options, this.#context.projectId);
    return this.#onPath("copyWeights", tinker_path, options, (request, path) =>
      copyWeights(request, path, copy),
    );
  }

  /** Gives the signed addresses of an export's files, which `saveWeightsExternal` has made. A plain GET fetches each. */
  getExternalWeightsUrls(tinker_path: string, options: CallOptions = {}): ApiFuture<ExternalWeightsUrls> {
    this.#check("getExternalWeightsUrls", options, CALL_OPTIONS);
    const given = readPath("getExternalWeightsUrls", tinker_path);
    if ("path" in given) checkExternal("getExternalWeightsUrls", given.path);
    return startOnPath(this.#context, "getExternalWeightsUrls", given, options, readExternalUrls);
  }

  /**
   * Downloads a checkpoint to a directory that is empty or not there yet: an export file by file, any other as an archive, where the
   * service has archives. The directory appears in one step, when all of it is there and has its length (and its MD5, where the store
   * tells one), readable by you alone. A call that was ended, or whose process was killed, leaves what has come beside the
   * directory, and the same call goes on with it. No header of ours goes to the store.
   *
   * @param directory - `adapter_config.json` and the adapter's weights are in it then, as `peft` loads them
   * @throws ValidationError for a place where something else is or that cannot be written, a link, and the folder that the program works in, which would
   *   be replaced;
   *   ResponseError for files that are not whole, have names that are not safe, or are larger than the limits allow;
   *   UnsupportedByServerError where the service gives no such checkpoint away; what `onProgress` throws
   *
   * @example
   * await service.rest.downloadCheckpoint("tinker://run/external_weights/final", "adapters/final");
   */
  downloadCheckpoint(
    tinker_path: string,
    directory: string,
    options: DownloadCheckpointOptions = {},
  ): ApiFuture<DownloadedCheckpoint> {
    this.#check("downloadCheckpoint", options, DOWNLOAD_OPTIONS);
    const limits = checkDownload("downloadCheckpoint", directory, options);
    const { onProgress, flush = true } = options;
    const place = { directory: resolve(directory), limits, onProgress, isFlushed: flush };
    const { proxy } = this.#context;
    return this.#onPath("downloadCheckpoint", tinker_path, options, async (request, path) => {
      // Loaded when it is used: most programs download nothing.
      const { downloadCheckpoint } = await import("../downloads/download-checkpoint.js");
      const { method, clock, signal } = request;
      const work = { ...place, method, tinkerPath: path.tinker_path, clock, signal, proxy };
      return downloadCheckpoint(work, () => openSource(request, path));
    });
  }

  /** Gives the signed address of a checkpoint's archive, once it is made. Services since 0.38 make exports instead. */
  getCheckpointArchiveUrlFromTinkerPath(
    tinker_path: string,
    options: CallOptions = {},
  ): ApiFuture<ArchiveUrl> {
    this.#check("getCheckpointArchiveUrlFromTinkerPath", options, CALL_OPTIONS);
    return this.#onPath("getCheckpointArchiveUrlFromTinkerPath", tinker_path, options, readArchiveUrl);
  }

  /** Gives the signed address of a checkpoint's archive, once it is made. @param checkpoint_id - folder and name, e.g. `weights/0001` */
  getCheckpointArchiveUrl(
    training_run_id: string,
    checkpoint_id: string,
    options: CallOptions = {},
  ): ApiFuture<ArchiveUrl> {
    this.#check("getCheckpointArchiveUrl", options, CALL_OPTIONS);
    const path = pathOfIds("getCheckpointArchiveUrl", training_run_id, checkpoint_id);
    return this.#onPath("getCheckpointArchiveUrl", path, options, readArchiveUrl);
  }

  #publish(method: string, tinker_path: string, isPublic: boolean, options: PublishOptions): ApiFuture<void> {
    this.#check(method, options, PUBLISH_OPTIONS);
    checkIfAlready(method, options);
    return this.#onPath(method, tinker_path, options, (request, path) =>
      setPublished(request, path, isPublic, options),
    );
  }

  #check<Options extends CallOptions>(
    method: string,
    options: Options,
    names: Readonly<Record<keyof Options & string, true>>,
  ): void {
    this.#context.lifecycle.checkCall(method, options, names);
  }

  #onPath<T>(method: string, tinker_path: string, options: CallOptions, work: PathWork<T>): ApiFuture<T> {
    return startOnPath(this.#context, method, readPath(method, tinker_path), options, work);
  }

  #start<T>(method: string, options: CallOptions, work: (request: RestRequest) => Promise<T>): ApiFuture<T> {
    return startRest(this.#context, method, options, work);
  }
}
