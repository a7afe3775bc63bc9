/**
 * Every message of the service's protobuf schema as `@bufbuild/protobuf` descriptors, for `create`, `fromBinary`, `toBinary` and
 * `toJson` of that package: for tools that look at bodies, and for messages that no request of the client uses. The codecs
 * of the package's main entry are faster on big arrays.
 */
export {
  ArrayRecordSchema,
  BatchedTensorSchema,
  ChunkSchema,
  DatumSchema,
  DmelChunkSchema,
  DType,
  DTypeSchema,
  EncodedTextChunkSchema,
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  ImageChunkSchema,
  ImageDimensionsSchema,
  LossConfigValueSchema,
  PromptAltTokensSchema,
  PromptProvenanceSpanSchema,
  ProvenanceSpanSchema,
  SampledProvenanceSpanSchema,
  SampledSequenceSchema,
  SampleResponseSchema,
  SamplingParamsSchema,
  SparseCsrSchema,
  StopReason,
  StopReasonSchema,
  StopStringsSchema,
  StopTokensSchema,
  TensorSchema,
  TopkLogprobsSchema,
} from "./generated/tinker_public_pb.js";
