// Trains through a restart of the service: saves a checkpoint every few steps, goes on from the last one when the service has forgotten
// the model, and comes to the same loss as a run that nothing has disturbed. What happens is told by the client's own events.
//
//   node apps/examples/dist/survive-restart.js                        on this machine, no key needed; restarts the server midway
//   TINKER_API_KEY=tml-… node apps/examples/dist/survive-restart.js   on a hosted service, which nobody restarts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { events, lossOf, ServiceClient, TinkexError, type TrainingClient, ValidationError } from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "12" }, model: { type: "string" } },
});
const stepCount = Number(options.steps);
const saveEvery = 4;
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");

// A server whose checkpoints outlast it: the next one on the same folder finds them again.
const dataDirectory = await mkdtemp(join(tmpdir(), "tinkex-restart-"));
let server: LocalServer | undefined = isHosted ? undefined : await startLocalServer({ dataDirectory });
const restart = async (): Promise<void> => {
  if (server === undefined) return;
  const { port } = server;
  await server.close();
  server = await startLocalServer({ dataDirectory, port });
  console.log("the server was restarted");
};

const service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });

/** Says what was saved, and how many requests were repeated, until the client is closed. */
const tellEvents = async (): Promise<void> => {
  let repeatCount = 0;
  for await (const message of events(service)) {
    if (message.type === "operation.checkpoint") console.log(`saved ${message.path}`);
    if (message.type === "request.retry") repeatCount += 1;
  }
  console.log(`client ${service.clientId} repeated ${repeatCount} requests`);
};
const telling = tellEvents();

/** Trains to the last step, whatever happens to the service on the way. Gives the last loss. */
async function train(name: string, disturb?: () => Promise<void>): Promise<number> {
  let training: TrainingClient = await service.createLoraTrainingClient({ base_model, rank: 8, seed: 1 });
  const tokens = (await training.getTokenizer()).encode("the cat sat on the mat");
  const datum = { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } };
  // The place to go on from: a checkpoint, and the step that comes after it.
  let saved = { path: (await training.saveState(`${name}-0`, { overwrite: true })).path, step: 0 };
  let loss = Number.NaN;
  let recoveries = 0;
  for (let step = 0; step < stepCount; ) {
    try {
      const { forwardBackward } = await training.trainStep([datum], "cross_entropy", { learning_rate: 2e-3 });
      loss = lossOf(forwardBackward)?.value ?? Number.NaN;
      step += 1;
      if (step % saveEvery === 0) {
        saved = { path: (await training.saveState(`${name}-${step}`, { overwrite: true })).path, step };
      }
      // Half a stretch after a checkpoint, so that there is something to make up for.
      if (step === saveEvery + saveEvery / 2) {
        await disturb?.();
        disturb = undefined;
      }
    } catch (error) {
      recoveries += 1;
      const isOurs = error instanceof ValidationError || !(error instanceof TinkexError);
      if (isOurs || recoveries > 5) throw error;
      console.log(`step ${step} failed (${error.code}): going on from step ${saved.step}`);
      training = await service.resumeFrom(saved.path);
      step = saved.step;
    }
  }
  console.log(`step ${stepCount} of ${name}: loss ${loss.toFixed(6)} after ${recoveries} recoveries`);
  return loss;
}

try {
  const undisturbed = await train("undisturbed");
  const disturbed = await train("disturbed", restart);
  const { operations, queued } = service.stats();
  console.log(
    `loss: ${undisturbed.toFixed(6)} -> ${disturbed.toFixed(6)}, ${operations + queued} calls left`,
  );
} finally {
  await service.close();
  await telling;
  await server?.close();
  await rm(dataDirectory, { recursive: true, force: true });
}
