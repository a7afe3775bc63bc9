import type { ApiGeneration } from "@tinkex/types";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from "fastify";
import { RequestRefusal } from "../errors/request-refusal.js";
import { shortened } from "../json/shortened.js";
import { reserveSequenceSlot } from "../operations/reserve-sequence-slot.js";
import type { ServerState } from "../registries/server-state.js";
import { answerBeforeRouting, answerClientError } from "./before-routing.js";
import { errorHandler } from "./error-answer.js";
import { FairTurns } from "./fair-turns.js";
import { addGeneration } from "./generation.js";
import { addBodyParsers } from "./parse-bodies.js";
import { type GuardOptions, guardRequest } from "./request-guard.js";
import { addAccountRoutes } from "./routes/account-routes.js";
import { addAuthRoutes } from "./routes/auth-routes.js";
import { addCheckpointRoutes } from "./routes/checkpoint-routes.js";
import { addFileRoutes } from "./routes/file-routes.js";
import { addCancelRoute, addFeedRoute, addFutureRoutes } from "./routes/future-routes.js";
import { addHubRoutes } from "./routes/hub-routes.js";
import { addLossRoutes } from "./routes/loss-routes.js";
import { addModelRoutes } from "./routes/model-routes.js";
import { addSamplingRoutes } from "./routes/sampling-routes.js";
import { addServiceRoutes } from "./routes/service-routes.js";
import { addSessionRoutes } from "./routes/session-routes.js";
import { addTrainingRoutes } from "./routes/training-routes.js";
import type { ServerTokens } from "./server-tokens.js";
import { SignedFiles } from "./signed-files.js";

/** Largest body, compressed or not. The SDKs cut a call at about 5 MB; one long datum may be more. */
const BODY_LIMIT_BYTES = 128 * 2 ** 20;

/** Largest body with the graph of a loss, which has dozens of nodes of some hundred bytes. */
const GRAPH_LIMIT_BYTES = 4 * 2 ** 20;

/** A checkpoint's name has 255 characters at most; Fastify would say 404 to what is longer than 100. */
const MAX_PARAMETER_LENGTH = 1024;

const API_PREFIX = "/api/v1";

export interface AppOptions {
  readonly guard: GuardOptions & { readonly tokens?: ServerTokens | undefined };
  /** Milliseconds for which a poll is held when its result is not there yet. */
  readonly holdMs: number;
  /** Milliseconds that a client may take to send the head of a request, and the whole of it. */
  readonly headTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** The one generation of the API to speak; every one at once where absent. */
  readonly generation?: ApiGeneration | undefined;
  /** Adds hooks that run before all others. */
  readonly extend?: AppExtension | undefined;
}

/** Adds to the HTTP face of a server before it has any routes. */
export type AppExtension = (app: FastifyInstance, state: ServerState) => void;

/** The HTTP face of a server: every endpoint, over what `state` knows. Not listening yet. */
export function createApp(state: ServerState, options: AppOptions): FastifyInstance {
  const { headTimeoutMs, requestTimeoutMs } = options;
  const app = fastify({
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: headTimeoutMs,
      // Node looks this often for requests that took too long.
      connectionsCheckingInterval: Math.min(headTimeoutMs, requestTimeoutMs) / 4,
      // The guard looks at it, and says what it misses.
      requireHostHeader: false,
    },
    forceCloseConnections: "idle",
    // Requests on open connections are answered with the reason while the server closes: a 503 would be tried again.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    clientErrorHandler: answerClientError,
    // Met before the routes, and so by no error handler.
    frameworkErrors: answerFrameworkError,
  });
  answerBeforeRouting(app.server);
  options.extend?.(app, state);
  const turns = new FairTurns();
  app.server.on("connection", () => turns.noteConnection());
  app.addHook("onRequest", async ({ method, url, headers }) => {
    const { host, origin, "sec-fetch-site": site, "x-api-key": key, authorization } = headers;
    // Clients of the hub send what they have as HF_TOKEN.
    const apiKey = key ?? authorization?.replace(/^Bearer /, "");
    const path = url.split("?", 1)[0] ?? "";
    guardRequest({ method, path, host, origin, site: firstOf(site), apiKey: firstOf(apiKey) }, options.guard);
    if (path !== `${API_PREFIX}/healthz`) await turns.enter();
  });
  if (options.generation !== undefined) addGeneration(app, options.generation);
  addBodyParsers(app, BODY_LIMIT_BYTES);
  app.setErrorHandler(errorHandler(state.logger));
  app.setNotFoundHandler(({ method, url, body }) =>
    // An operation of a model that is not served uses its sequence id up like any that is refused.
    reserveSequenceSlot(state, body, () => {
      throw new RequestRefusal(404, `this server has no ${method} ${url.split("?", 1)[0]}`);
    }),
  );
  app.register(
    async (api) => {
      addServiceRoutes(api, state, options.guard.tokens !== undefined);
      addSessionRoutes(api, state);
      addModelRoutes(api, state);
      addTrainingRoutes(api, state);
      api.register(async (graphs) => {
        addBodyParsers(graphs, GRAPH_LIMIT_BYTES, { marksFloats: true });
        addLossRoutes(graphs, state);
      });
      addSamplingRoutes(api, state);
      addFutureRoutes(api, state, { holdMs: options.holdMs, turns });
      addFeedRoute(api, state, options.holdMs);
      addCancelRoute(api, state);
      addCheckpointRoutes(api, state);
      addAccountRoutes(api, state);
      addAuthRoutes(api, options.guard.tokens);
      addFileRoutes(api, state, { signed: new SignedFiles(state.clock), prefix: API_PREFIX });
    },
    { prefix: API_PREFIX },
  );
  addHubRoutes(app, state);
  return app;
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function answerFrameworkError(error: FastifyError, _request: unknown, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 400).send({ detail: shortened(error.message) });
}
