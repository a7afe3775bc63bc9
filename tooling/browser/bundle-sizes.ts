/** What an entry costs an application, in bytes of a minified bundle after gzip. */
export interface BundleSize {
  /** Below `packages/`. */
  readonly file: string;
  /** The package's own code, without libraries and siblings. */
  readonly ownBytes: number;
  /** With everything it imports. */
  readonly wholeBytes: number;
}

/** Entries that run in a browser. Growth is a change of a line here. */
export const BUNDLE_SIZES: Readonly<Record<string, BundleSize>> = {
  "@tinkex/types": { file: "types/dist/index.js", ownBytes: 16_920, wholeBytes: 49_043 },
  "@tinkex/base": { file: "base/dist/index.js", ownBytes: 8_120, wholeBytes: 8_120 },
  "@tinkex/wire": { file: "wire/dist/index.js", ownBytes: 17_205, wholeBytes: 62_130 },
  "@tinkex/wire/proto": { file: "wire/dist/proto.js", ownBytes: 2_831, wholeBytes: 18_747 },
  "@tinkex/tensor": { file: "tensor/dist/index.js", ownBytes: 4_623, wholeBytes: 6_997 },
  "@tinkex/tokenizer": { file: "tokenizer/dist/index.js", ownBytes: 20_469, wholeBytes: 24_552 },
  "@tinkex/tokenizer/chat-template": {
    file: "tokenizer/dist/chat-template.js",
    ownBytes: 37_884,
    wholeBytes: 39_113,
  },
  "@tinkex/renderers": { file: "renderers/dist/index.js", ownBytes: 28_441, wholeBytes: 30_597 },
  "@tinkex/renderers/chat-template": {
    file: "renderers/dist/chat-template.js",
    ownBytes: 6_935,
    wholeBytes: 45_270,
  },
};

/**
 * What one name of `@tinkex/types` may cost an application that imports it alone, in bytes of a minified bundle with
 * everything it needs. Only schemas may bring the schema library, which is some 65,000 bytes.
 */
export const MAX_IMPORT_BYTES = {
  ValidationError: 2_000,
  ApiStatusError: 3_000,
  CheckpointPath: 3_000,
  Timestamp: 3_000,
  ModelInput: 6_000,
  Datum: 7_500,
  SamplingParams: 1_000,
  AdamParams: 1_000,
  LoraConfig: 1_000,
  chunkType: 2_000,
  // A third of it are the words for what a value is instead.
  checkSent: 4_500,
  ENDPOINTS: 7_000,
  adamParamsSchema: 90_000,
} as const;
