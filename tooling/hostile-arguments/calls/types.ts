import {
  CheckpointPath,
  checkReceived,
  checkRecord,
  checkRequest,
  checkSent,
  chunkType,
  Datum,
  fromBase64,
  isEndpointName,
  ModelInput,
  matchEndpoint,
  modelInputSchema,
  parseRequestErrorCategory,
  schemaOf,
  spanFault,
  Timestamp,
  TinkexError,
  toBase64,
  toJsonSchema,
} from "@tinkex/types";
import { describeRecords } from "@tinkex/types/descriptions";
import { call, type PublicCalls } from "../public-call.js";

const input = () => ModelInput.fromInts([1, 2]);
const tensors = () => ({ target_tokens: { data: [1, 2], dtype: "int64" as const, shape: [2] } });

export const typesCalls: PublicCalls = {
  "CheckpointPath.parse": call(CheckpointPath.parse, () => ["tinker://run/weights/a"]),
  "CheckpointPath.format": call(CheckpointPath.format, () => ["run", "training", "a"]),
  "Datum.of": call(Datum.of, () => [input(), tensors()]),
  "ModelInput.fromInts": call(ModelInput.fromInts, () => [[1, 2]]),
  "ModelInput.append": call(ModelInput.append, () => [input(), { type: "encoded_text", tokens: [3] }]),
  "ModelInput.appendInt": call(ModelInput.appendInt, () => [input(), 3]),
  "ModelInput.toInts": call(ModelInput.toInts, () => [input()]),
  "ModelInput.length": call(ModelInput.length, () => [input()]),
  "Timestamp.toDate": call(Timestamp.toDate, () => ["2026-01-02T03:04:05Z"]),
  "TinkexError.isInstance": call(
    (value: unknown) => TinkexError.isInstance(value),
    () => [new Error("x")],
  ),
  checkRecord: call(checkRecord, () => [modelInputSchema, input(), "ModelInput"]),
  checkReceived: call(checkReceived, () => [modelInputSchema, input(), "ModelInput"]),
  checkRequest: call(checkRequest, () => [modelInputSchema, input(), "ModelInput"]),
  checkSent: call(checkSent, () => [modelInputSchema, input(), "ModelInput"]),
  chunkType: call(chunkType, () => [{ type: "encoded_text", tokens: [1] }]),
  fromBase64: call(fromBase64, () => ["AAAA"]),
  isEndpointName: call(isEndpointName, () => ["optim_step"]),
  matchEndpoint: call(matchEndpoint, () => ["POST", "/api/v1/optim_step"]),
  parseRequestErrorCategory: call(parseRequestErrorCategory, () => ["user"]),
  schemaOf: call(schemaOf, () => ["Datum"]),
  spanFault: call(spanFault, () => [{ model_input: input(), loss_fn_inputs: tensors() }]),
  toBase64: call(toBase64, () => [new Uint8Array(3)]),
  toJsonSchema: call(toJsonSchema, () => [
    modelInputSchema,
    {
      refBase: "#/components/schemas/ModelInput",
      draft: "draft-07",
      dialect: false,
      describe: () => ({ description: "x", fields: { chunks: "y" } }),
    },
  ]),
};

export const descriptionsCalls: PublicCalls = {
  describeRecords: call(describeRecords, () => [{ ModelInput: modelInputSchema }]),
};
