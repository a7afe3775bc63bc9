/** Public functions that the test does not call, each with the reason. Classes of errors are left out by their kind. */
export const NOT_CALLED: Readonly<Record<string, string>> = {
  ...byReason("machinery that the client shares with the transport, which passes what it has checked", [
    "@tinkex/http ByteBudget",
    "@tinkex/http PressureLimits",
    "@tinkex/http Semaphore",
    "@tinkex/http WaitQueue",
    "@tinkex/wire BodyMemory",
  ]),
  ...byReason("machinery that the client and the local server share, which pass what they have checked", [
    "@tinkex/tensor/loss-graph bindData",
    "@tinkex/tensor/loss-graph checkData",
    "@tinkex/tensor/loss-graph checkInputs",
    "@tinkex/tensor/loss-graph sumOfLosses",
  ]),
  ...byReason("tfjs itself", ["@tinkex/tensor/tfjs tf"]),
  ...byReason("made by a client alone, whose methods are called", [
    "@tinkex/client AdminCalls",
    "@tinkex/client ApiFuture",
    "@tinkex/client LossHandle",
    "@tinkex/client RestCalls",
    "@tinkex/client SamplingClient",
    "@tinkex/client TrainingClient",
  ]),
};

function byReason(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
