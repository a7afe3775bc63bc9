import { describeKind, ValidationError } from "@tinkex/base";
import {
  checkSent,
  type GetSessionResponse,
  type ListSessionsResponse,
  type SessionSearchRequest,
  type SessionSearchResponse,
  schemaOf,
} from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { type AccessScope, accessQuery } from "./access-scope.js";
import type { OffsetPage, PageOptions, WalkOptions } from "./offset-pages.js";
import type { RestRequest } from "./rest-request.js";

/** Options of one page of sessions, newest first; 20 where no `limit` is given. */
export interface ListSessionsOptions extends CallOptions, PageOptions {
  /** The caller's own, or all that the caller may see. @defaultValue `owned` */
  readonly access_scope?: AccessScope | undefined;
}

/** Options of walking through all sessions; signal and limit hold for each page. */
export interface SessionsOptions extends CallOptions, WalkOptions {
  /** The caller's own, or all that the caller may see. @defaultValue `owned` */
  readonly access_scope?: AccessScope | undefined;
}

export const LIST_SESSIONS_OPTIONS = {
  ...CALL_OPTIONS,
  limit: true,
  offset: true,
  access_scope: true,
} as const;
export const SESSIONS_OPTIONS = { ...CALL_OPTIONS, pageSize: true, access_scope: true } as const;

/** Sessions that a page has where nothing else is asked for. */
export const SESSIONS_PER_PAGE = 20;

/** Reads one page of session ids. */
export function readSessions(
  request: RestRequest,
  { limit, offset }: OffsetPage,
  access_scope: AccessScope | undefined,
): Promise<ListSessionsResponse> {
  const query = { limit, offset, ...accessQuery(request, "list_sessions", access_scope) };
  return request.ask("list_sessions", undefined, { query });
}

/** Reads what a session has made. */
export function readSession(
  request: RestRequest,
  session: string,
  access_scope: AccessScope | undefined,
): Promise<GetSessionResponse> {
  const query = accessQuery(request, "get_session", access_scope);
  return request.ask("get_session", undefined, { path: { session }, query });
}

/** Moves a session to a project, which cannot be undone. */
export function assignProject(request: RestRequest, session: string, project_id: string): Promise<void> {
  return request.ask("set_session_project", { project_id }, { path: { session } });
}

/**
 * Fills a search with the defaults that are always sent.
 *
 * @throws ValidationError
 */
export function checkSearch(method: string, search: SessionSearchRequest): SessionSearchRequest {
  if (typeof search !== "object" || search === null) {
    throw new ValidationError(`${method}: the search must be an object, got ${describeKind(search)}`, {
      path: ["search"],
    });
  }
  const { user_metadata = {}, owner = { type: "own" }, limit = 50 } = search;
  return checkSent(schemaOf("SessionSearchRequest"), { ...search, user_metadata, owner, limit }, method);
}

/** Reads one page of the sessions found. */
export function readFoundSessions(
  request: RestRequest,
  search: SessionSearchRequest,
): Promise<SessionSearchResponse> {
  return request.ask("search_sessions", search, {});
}
