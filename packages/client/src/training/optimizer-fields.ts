import {
  type AdamParams,
  adamParamsSchema,
  checkSent,
  type OptimizerParams,
  optimizerParamsSchema,
} from "@tinkex/types";
import { checkObject } from "../service/check-object.js";

/** The parameters of an optimizer step in the field that its family travels in. */
export type OptimizerFields =
  | { readonly adam_params: AdamParams }
  | { readonly optimizer_params: OptimizerParams };

/** Chooses the field: parameters with a `type` are of another family than AdamW. @throws ValidationError */
export function optimizerFields(params: AdamParams | OptimizerParams): OptimizerFields {
  checkObject(params, "params", "{ learning_rate: 1e-4 }");
  return "type" in params
    ? { optimizer_params: checkSent(optimizerParamsSchema, params, "optimStep") }
    : { adam_params: checkSent(adamParamsSchema, params, "optimStep") };
}
