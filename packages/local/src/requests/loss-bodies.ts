import type { CustomLossGraph, CustomLossInput } from "@tinkex/types";
import * as z from "zod";
import { recordBody } from "./record-body.js";

/** Body of `create_custom_loss`. Graph and inputs are taken as they are: the compiler of graphs checks them, and tells the node at fault. */
export const createCustomLossBody = recordBody("CreateCustomLossRequest")(
  ["session_id", "custom_loss_seq_id", "name"],
  {
    inputs: z.custom<readonly CustomLossInput[]>(Array.isArray, "must be an array"),
    graph: z.custom<CustomLossGraph>((value) => typeof value === "object", "must be an object"),
  },
);

export type CreateCustomLossBody = z.infer<typeof createCustomLossBody>;
