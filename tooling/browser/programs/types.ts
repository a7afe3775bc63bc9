import {
  checkReceived,
  checkSent,
  getInfoResponseSchema,
  samplingParamsSchema,
  TinkexError,
} from "@tinkex/types";

export interface Input {
  /** The JSON text of an answer to `get_info`. */
  readonly answer: string;
  /** Sampling parameters with a fault. */
  readonly badParams: unknown;
}

/** Reads an answer as a record, and refuses bad parameters. */
export function run({ answer, badParams }: Input) {
  return {
    record: checkReceived(getInfoResponseSchema, JSON.parse(answer), "GetInfoResponse"),
    fault: faultOf(badParams),
  };
}

function faultOf(params: unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    checkSent(samplingParamsSchema, params, "SamplingParams");
    return undefined;
  } catch (error) {
    if (!TinkexError.isInstance(error)) throw error;
    return { code: error.code, message: error.message };
  }
}
