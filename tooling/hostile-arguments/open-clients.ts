import { ServiceClient } from "@tinkex/client";

/** Answers that a service client needs before it is open, by the last part of the address; everything else is not found. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  config: {},
  dynamic_config: {},
  get_server_capabilities: { supported_models: [] },
  create_session: { session_id: "S", type: "create_session" },
  create_model: { request_id: "S:train:0:0", model_id: "S:train:0" },
  create_sampling_session: { sampling_session_id: "S:sample:0" },
  retrieve_future: { model_id: "S:train:0", type: "create_model" },
  session_heartbeat: { type: "session_heartbeat" },
};

async function answer(input: Request | URL | string): Promise<Response> {
  const address = input instanceof Request ? input.url : String(input);
  const body = ANSWERS[address.split("/").at(-1) ?? ""];
  return body === undefined ? Response.json({ detail: "no" }, { status: 404 }) : Response.json(body);
}

/** Opens the three clients on a service that creates what is asked for and does nothing else; nothing leaves the process. */
export async function openClients() {
  const service = new ServiceClient({
    baseUrl: "http://127.0.0.1:9",
    apiKey: "tml-a",
    env: {},
    projectId: "p",
    // The client calls it with a request, as `fetch` is called.
    fetch: answer as typeof fetch,
  });
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  const sampler = await service.createSamplingClient({ base_model: "b" });
  return { service, training, sampler };
}
