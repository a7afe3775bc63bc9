import type {
  GetSamplerResponse,
  GetServerCapabilitiesResponse,
  GetSessionResponse,
  ListSessionsResponse,
  SessionSearchRequest,
  SessionSearchResponse,
  SessionSummary,
  TrainingRun,
  TrainingRunsResponse,
  WhoamiResponse,
} from "@tinkex/types";
import type { ApiFuture } from "../future/api-future.js";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { ACCESS_OPTIONS, type AccessOptions, checkAccessScope } from "./access-scope.js";
import { checkId } from "./check-id.js";
import { CheckpointCalls } from "./checkpoint-calls.js";
import { type PathWork, readPath, startOnPath } from "./given-path.js";
import { identityOf } from "./identity.js";
import { checkCount, checkPage, noteLocalFilter, offsetPages } from "./offset-pages.js";
import { type PageList, pageList } from "./page-list.js";
import type { RestContext } from "./rest-context.js";
import { type RestRequest, startRest } from "./rest-request.js";
import {
  assignProject,
  checkSearch,
  LIST_SESSIONS_OPTIONS,
  type ListSessionsOptions,
  readFoundSessions,
  readSession,
  readSessions,
  SESSIONS_OPTIONS,
  SESSIONS_PER_PAGE,
  type SessionsOptions,
} from "./sessions.js";
import { exportTrace } from "./trace-export.js";
import {
  checkRunFilters,
  LIST_TRAINING_RUNS_OPTIONS,
  type ListTrainingRunsOptions,
  RUNS_PER_PAGE,
  readTrainingRun,
  readTrainingRuns,
  TRAINING_RUNS_OPTIONS,
  type TrainingRunsOptions,
} from "./training-runs.js";

/** Calls on the things that runs leave behind at the service: training runs, checkpoints, sessions, samplers. They need no session. */
export class RestCalls extends CheckpointCalls {
  readonly #context: RestContext;

  /** @internal */
  constructor(context: RestContext) {
    super(context);
    this.#context = context;
  }

  /** Lists the models the service offers. */
  getServerCapabilities(options: CallOptions = {}): ApiFuture<GetServerCapabilitiesResponse> {
    this.#check("getServerCapabilities", options, CALL_OPTIONS);
    return this.#start("getServerCapabilities", options, (request) =>
      request.ask("get_server_capabilities", undefined, {}),
    );
  }

  /** Tells whose credential is in use, from the token that requests are signed with. @throws UnsupportedByServerError without one */
  whoami(options: CallOptions = {}): ApiFuture<WhoamiResponse> {
    this.#check("whoami", options, CALL_OPTIONS);
    return this.#start("whoami", options, async () =>
      identityOf("whoami", await this.#context.identityToken()),
    );
  }

  /** Gives one page of training runs, newest first. */
  listTrainingRuns(options: ListTrainingRunsOptions = {}): ApiFuture<TrainingRunsResponse> {
    this.#check("listTrainingRuns", options, LIST_TRAINING_RUNS_OPTIONS);
    const page = checkPage("listTrainingRuns", options, RUNS_PER_PAGE);
    checkRunFilters("listTrainingRuns", options);
    return this.#start("listTrainingRuns", options, (request) => readTrainingRuns(request, page, options));
  }

  /**
   * Walks through all training runs, newest first, 20 a page where no `pageSize` is given. Where runs go from the list on the way, what has
   * moved up is read again, so that every other one is given, once.
   */
  trainingRuns(options: TrainingRunsOptions = {}): PageList<TrainingRun, TrainingRunsResponse> {
    this.#check("trainingRuns", options, TRAINING_RUNS_OPTIONS);
    const { pageSize = RUNS_PER_PAGE, base_model, ...filters } = options;
    checkCount("trainingRuns", "pageSize", pageSize, 1);
    checkRunFilters("trainingRuns", options);
    if (base_model !== undefined) noteLocalFilter(this.#context, "trainingRuns", "base_model");
    return offsetPages(pageSize, {
      method: "trainingRuns",
      readPage: (page) => this.listTrainingRuns({ ...filters, ...page }),
      itemsOf: ({ training_runs }) => training_runs,
      cursorOf: ({ cursor }) => cursor,
      idOf: ({ training_run_id }) => training_run_id,
      isWanted: base_model === undefined ? undefined : (run) => run.base_model === base_model,
    });
  }

  /** Gives one training run. */
  getTrainingRun(training_run_id: string, options: AccessOptions = {}): ApiFuture<TrainingRun> {
    this.#check("getTrainingRun", options, ACCESS_OPTIONS);
    const run = checkId("getTrainingRun", "training_run_id", training_run_id);
    checkAccessScope("getTrainingRun", options.access_scope);
    return this.#start("getTrainingRun", options, (request) =>
      readTrainingRun(request, run, options.access_scope),
    );
  }

  /** Gives the training run that a checkpoint belongs to. */
  getTrainingRunByTinkerPath(tinker_path: string, options: AccessOptions = {}): ApiFuture<TrainingRun> {
    this.#check("getTrainingRunByTinkerPath", options, ACCESS_OPTIONS);
    checkAccessScope("getTrainingRunByTinkerPath", options.access_scope);
    return this.#onPath("getTrainingRunByTinkerPath", tinker_path, options, (request, path) =>
      readTrainingRun(request, path.training_run_id, options.access_scope),
    );
  }

  /** Gives one page of session ids, newest first. */
  listSessions(options: ListSessionsOptions = {}): ApiFuture<ListSessionsResponse> {
    this.#check("listSessions", options, LIST_SESSIONS_OPTIONS);
    const page = checkPage("listSessions", options, SESSIONS_PER_PAGE);
    checkAccessScope("listSessions", options.access_scope);
    return this.#start("listSessions", options, (request) =>
      readSessions(request, page, options.access_scope),
    );
  }

  /**
   * Walks through all session ids, newest first, 20 a page where no `pageSize` is given. The service does not tell how many there are, so
   * that a session that goes from the list on the way may hide another one.
   */
  sessions(options: SessionsOptions = {}): PageList<string, ListSessionsResponse> {
    this.#check("sessions", options, SESSIONS_OPTIONS);
    const { pageSize = SESSIONS_PER_PAGE, ...filters } = options;
    checkCount("sessions", "pageSize", pageSize, 1);
    checkAccessScope("sessions", options.access_scope);
    return offsetPages(pageSize, {
      method: "sessions",
      readPage: (page) => this.listSessions({ ...filters, ...page }),
      itemsOf: ({ sessions }) => sessions,
      cursorOf: () => undefined,
      idOf: (session) => session,
    });
  }

  /** Tells which runs and samplers a session has made, and its name and metadata. */
  getSession(session_id: string, options: AccessOptions = {}): ApiFuture<GetSessionResponse> {
    this.#check("getSession", options, ACCESS_OPTIONS);
    const session = checkId("getSession", "session_id", session_id);
    checkAccessScope("getSession", options.access_scope);
    return this.#start("getSession", options, (request) =>
      readSession(request, session, options.access_scope),
    );
  }

  /** Gives one page of the sessions that a search finds, newest first; `next_cursor` goes into the search for the next page. */
  searchSessions(
    search: SessionSearchRequest = {},
    options: CallOptions = {},
  ): ApiFuture<SessionSearchResponse> {
    this.#check("searchSessions", options, CALL_OPTIONS);
    const checked = checkSearch("searchSessions", search);
    return this.#start("searchSessions", options, (request) => readFoundSessions(request, checked));
  }

  /** Walks through all sessions that a search finds, newest first. @param search - its `limit` is the size of a page */
  foundSessions(
    search: SessionSearchRequest = {},
    options: CallOptions = {},
  ): PageList<SessionSummary, SessionSearchResponse> {
    this.#check("foundSessions", options, CALL_OPTIONS);
    const checked = checkSearch("foundSessions", search);
    return pageList({
      method: "foundSessions",
      first: checked,
      read: (place) => this.searchSessions(place, options),
      itemsOf: ({ sessions }) => sessions,
      idOf: ({ session_id }) => session_id,
      next: ({ next_cursor: cursor }) => (cursor === undefined ? undefined : { ...checked, cursor }),
    });
  }

  /** Moves a session to a project, which cannot be undone. */
  assignSessionProject(session_id: string, project_id: string, options: CallOptions = {}): ApiFuture<void> {
    this.#check("assignSessionProject", options, CALL_OPTIONS);
    const session = checkId("assignSessionProject", "session_id", session_id);
    const project = checkId("assignSessionProject", "project_id", project_id);
    return this.#start("assignSessionProject", options, (request) =>
      assignProject(request, session, project),
    );
  }

  /**
   * Has the service write a session's timeline as a Perfetto trace, and waits until it is there.
   *
   * @returns a signed URL, good for about an hour, that a plain GET fetches; ui.perfetto.dev shows the file
   * @throws ResponseError with the service's words when it could not
   */
  exportSessionTrace(session_id: string, options: CallOptions = {}): ApiFuture<string> {
    this.#check("exportSessionTrace", options, CALL_OPTIONS);
    const session = checkId("exportSessionTrace", "session_id", session_id);
    return this.#start("exportSessionTrace", options, (request) => exportTrace(request, session));
  }

  /** Tells what a sampler samples from. @param sampler_id - a sampling session's id */
  getSampler(sampler_id: string, options: CallOptions = {}): ApiFuture<GetSamplerResponse> {
    this.#check("getSampler", options, CALL_OPTIONS);
    const sampler = checkId("getSampler", "sampler_id", sampler_id);
    return this.#start("getSampler", options, (request) =>
      request.ask("get_sampler", undefined, { path: { sampler } }),
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
