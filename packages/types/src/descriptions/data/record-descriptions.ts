import type { RecordDescription } from "../../schema/record-description.js";

/** Generated from the doc comments of the records by `pnpm --filter @tinkex-tooling/records generate`. */
export const RECORD_DESCRIPTIONS: Readonly<Record<string, RecordDescription>> = {
  "AdamParams": {
    "description": "One step of AdamW. The last two came with 0.7.",
    "fields": {
      "learning_rate": "0 or more.",
      "beta1": "Decay of the mean of gradients, 0 ≤ beta1 < 1.",
      "beta2": "Decay of the mean of squared gradients, 0 ≤ beta2 < 1.",
      "eps": "Above 0.",
      "weight_decay": "Decoupled weight decay, 0 or more.",
      "grad_clip_norm": "Largest global norm of the gradient; 0 = no clipping."
    }
  },
  "ApiKeyInfoResponse": {
    "description": "Key that a request carried, and its owner. Since 0.38.",
    "fields": {}
  },
  "AuditLogEntry": {
    "description": "Something that was done. Since 0.20.",
    "fields": {
      "event": "`<resource>_<action>`.",
      "event_details": "Since 0.38.",
      "model_id": "Deprecated by the service, like the two below, in favour of `event_details`."
    }
  },
  "AuditLogResponse": {
    "description": "Entries of the audit log. Since 0.20.",
    "fields": {}
  },
  "AuthTokenResponse": {
    "description": "A short-lived token in exchange for the key. Since 0.18.",
    "fields": {}
  },
  "BillingEventInfo": {
    "description": "Use of the service, by `type`; a kind we do not know is kept with its fields.",
    "fields": {}
  },
  "BillingUsageEvent": {
    "description": "Usage of one kind within one hour. Money is an estimate in gross US dollars before credits; since 0.38.",
    "fields": {
      "effective_rate_usd_per_gigabyte_month": "A month is 720 hours."
    }
  },
  "BillingUsageResponse": {
    "description": "Usage by hour. Since 0.23.",
    "fields": {
      "sessions": "By session id.",
      "cost_data_through": "Estimates before this come from invoices, later ones from the price list. Since 0.38."
    }
  },
  "BillingUsageSession": {
    "description": "Metadata that its creator gave a session for which usage is reported.",
    "fields": {}
  },
  "CancelFutureRequest": {
    "description": "Tells the server that nobody waits for a sample any more. Since 0.38.",
    "fields": {}
  },
  "Checkpoint": {
    "description": "Saved weights.",
    "fields": {
      "checkpoint_id": "Folder and name, e.g. `weights/0001`.",
      "public": "True if everybody may read it.",
      "user_metadata": "Since 0.38.",
      "expires_at": "Absent: never. Since 0.9."
    }
  },
  "CheckpointArchiveUrlResponse": {
    "description": "Address of a checkpoint's archive. SDKs up to 0.25; later ones export instead.",
    "fields": {}
  },
  "CheckpointsListResponse": {
    "description": "Checkpoints of a training run or of the caller.",
    "fields": {
      "cursor": "Absent: this is all."
    }
  },
  "CheckpointStorageUsage": {
    "description": "Storage that the checkpoints of one project and one owner take.",
    "fields": {}
  },
  "ClientConfigRequest": {
    "description": "Asks for either configuration below. Since 0.18.",
    "fields": {}
  },
  "ClientConfigResponse": {
    "description": "Behaviour that the service wants of its clients. Every field has a default; unknown ones are kept.",
    "fields": {
      "pjwt_auth_enabled": "Exchange the key for a short-lived JWT.",
      "credential_default_source": "`credential_cmd` asks for the command credential.",
      "sample_dispatch_bytes_semaphore_size": "Bytes of prompts being submitted at a time.",
      "inflight_response_bytes_semaphore_size": "Bytes of large results being fetched at a time.",
      "parallel_fwdbwd_chunks": "Send the chunks of one training call at once.",
      "proto_compress_fwdbwd": "Compress training requests with zstd.",
      "fwdbwd_max_chunk_len": "Datums per training request.",
      "fwdbwd_max_chunk_bytes_count": "Estimated bytes per training request.",
      "fwdbwd_dispatch_bytes_semaphore_size": "Bytes of training requests being submitted at a time.",
      "billing_exception_max_pause_duration_sec": "Seconds that HTTP 402 pauses a call before it fails.",
      "sample_use_retrieve_futures": "Learn of finished samples from one poll per sampler. Since 0.38.",
      "custom_loss_server_side": "Upload custom losses and run them on the server. Since 0.38.",
      "sample_join_sampling_session": "Ask for the number of a cloned sampler. Since 0.38.",
      "create_model_via_load_weights": "Create from a checkpoint with one request. 0.24 and 0.25 only; always on later."
    }
  },
  "ClientDynamicConfigResponse": {
    "description": "Configuration that may change while a client runs. Since 0.25.",
    "fields": {
      "refresh_interval_sec": "Seconds until this should be read again.",
      "sample_cancel_enabled": "Tell the server about abandoned samples. Since 0.38.",
      "sample_cancel_max_batch_size": "Cancellations at a time. Since 0.38."
    }
  },
  "CompleteMetadataResponse": {
    "description": "The result is there and large: ask again with `allow_metadata_only: false`. Since 0.14.",
    "fields": {}
  },
  "CopyWeightsRequest": {
    "description": "Copies a checkpoint to a project, or to a model slot of a session. Since 0.38.",
    "fields": {}
  },
  "CopyWeightsResponse": {
    "description": "Path of the copy. Since 0.38.",
    "fields": {}
  },
  "CreateCustomLossRequest": {
    "description": "Uploads a loss that the server then runs. Since 0.38.",
    "fields": {
      "custom_loss_seq_id": "The session's own count of losses, from 0.",
      "name": "For people."
    }
  },
  "CreateCustomLossResponse": {
    "description": "The result of uploading a loss. Since 0.38.",
    "fields": {
      "loss_id": "Goes into the loss config of `custom`."
    }
  },
  "CreateModelRequest": {
    "description": "A new model to train: a base model with a fresh adapter.",
    "fields": {
      "model_seq_id": "The session's own count of models, from 0.",
      "base_model": "E.g. `Qwen/Qwen3-8B`.",
      "user_metadata": "Free; strings as values can be read back from the training run.",
      "optimizer_config": "Since 0.38."
    }
  },
  "CreateModelResponse": {
    "description": "The result of creating a model.",
    "fields": {
      "model_id": "Names the model in every training request."
    }
  },
  "CreateSamplingSessionRequest": {
    "description": "Makes a base model or saved weights ready to sample from. At least one of the two names is given.",
    "fields": {
      "sampling_session_seq_id": "The session's own count of sampling sessions, from 0; shared with unnamed sampler saves.",
      "model_path": "A `tinker://` path."
    }
  },
  "CreateSamplingSessionResponse": {
    "description": "The sampling session that was made.",
    "fields": {}
  },
  "CreateSessionRequest": {
    "description": "Opens a session, which holds everything a client makes.",
    "fields": {
      "sdk_version": "Version of a compatible official SDK; servers decide on features by it.",
      "project_id": "Since 0.15.",
      "display_name": "Free text for lists and search; need not be unique. Since 0.38."
    }
  },
  "CreateSessionResponse": {
    "description": "The session that was opened, and what the service has to say about it.",
    "fields": {
      "info_message": "For the log. An `error_message` does not fail the call."
    }
  },
  "CurrentCheckpointStorageUsageResponse": {
    "description": "Storage that checkpoints take now. Since 0.38.",
    "fields": {}
  },
  "Cursor": {
    "description": "Part of a list that this page is. There is more when `offset + limit < total_count`.",
    "fields": {}
  },
  "CustomLossGraph": {
    "description": "A loss as the steps that compute it, in their order.",
    "fields": {}
  },
  "CustomLossInput": {
    "description": "A parameter of a custom loss; the first is `logprobs`.",
    "fields": {
      "rank": "0: a scalar; 1: `[T]`; 2: `[T, K]`."
    }
  },
  "CustomLossNode": {
    "description": "One step of a graph, after the format of torch.fx.",
    "fields": {
      "name": "Unique; later nodes refer to it.",
      "target": "A parameter, a function such as `torch.exp` or `operator.mul`, a tensor method, or `output`."
    }
  },
  "Datum": {
    "description": "One training example.",
    "fields": {
      "loss_fn_inputs": "E.g. `target_tokens` (int64 `[N]` or `[N, K]`) and `weights` (float32, same shape) for cross entropy.",
      "model_input_spans": "Origin of each run of input positions; covers the whole input. Both lists or none. Since 0.38.",
      "loss_fn_input_spans": "The same for the positions of `target_tokens`."
    }
  },
  "DimuonParams": {
    "description": "One step of the Dimuon family.",
    "fields": {
      "learning_rate": "0 or more.",
      "grad_clip_norm": "0 or less = no clipping.",
      "beta1": "0 ≤ beta1 < 1."
    }
  },
  "DmelChunk": {
    "description": "Audio as tokens. Since 0.23.",
    "fields": {
      "dmel": "A serialised TensorContainer, or its base64 text. Its first dimension is the number of tokens."
    }
  },
  "EncodedTextChunk": {
    "description": "A run of tokens.",
    "fields": {}
  },
  "ExternalWeightsUrlsResponse": {
    "description": "Addresses of the files of an export.",
    "fields": {
      "urls": "Signed URL by file path within the checkpoint."
    }
  },
  "FinishSessionRequest": {
    "description": "Ends a session for good. Since 0.38.",
    "fields": {
      "detail": "Travels as null when there is none."
    }
  },
  "ForwardBackwardInput": {
    "description": "The examples of one request and the loss over them.",
    "fields": {}
  },
  "ForwardBackwardOutput": {
    "description": "Result of a training pass.",
    "fields": {
      "loss_fn_output_type": "The service's name for the kind of its outputs, e.g. `ArrayRecord`; carried through.",
      "loss_fn_outputs": "One entry per datum in the order sent, e.g. `logprobs` in the shape of its `target_tokens`.",
      "metrics": "By `name:reduction`, e.g. `loss:sum`. A value the service could not compute is NaN."
    }
  },
  "ForwardBackwardRequest": {
    "description": "One request of a training pass.",
    "fields": {
      "seq_id": "The model's own count of training requests: 1, 2, 3, … Repeats of a request carry the same number.",
      "forward_only": "Loss and log-probabilities without a gradient. A field in protobuf; in JSON another endpoint."
    }
  },
  "ForwardRequest": {
    "description": "The JSON form of a pass without a gradient, as servers of the 0.4 generation take it at their own endpoint.",
    "fields": {}
  },
  "FutureCompletion": {
    "description": "One sample that has finished.",
    "fields": {
      "state": "A state we do not know means: done, fetch it."
    }
  },
  "FutureRetrieveRequest": {
    "description": "Asks for a result; the server holds the answer back until there is one, or for a while.",
    "fields": {
      "allow_metadata_only": "Allow the server to announce a large result with its size first. Since 0.14."
    }
  },
  "FuturesRetrieveRequest": {
    "description": "Asks which samples of a session have finished. Since 0.38.",
    "fields": {
      "prev_cursor": "The last answer's `cursor`; 0 = from the beginning.",
      "timeout": "Seconds the server may hold the answer: 0 = answer at once, absent = as long as it likes.",
      "retrieved_request_ids": "Results that have arrived and may be forgotten."
    }
  },
  "FuturesRetrieveResponse": {
    "description": "Samples that have finished since `prev_cursor`. Since 0.38.",
    "fields": {}
  },
  "FuturesTarget": {
    "description": "Futures that a poll is about.",
    "fields": {
      "cloned_sampler_id": "Number of the clone of the sampler: ⌊seq_id / 10⁹⌋."
    }
  },
  "GetBillingUsageRequest": {
    "description": "Hours of usage to report: the query of a GET. Both on a full UTC hour, at most 14 days apart. Since 0.23.",
    "fields": {
      "starting_on": "Inclusive.",
      "ending_before": "Exclusive."
    }
  },
  "GetCurrentCheckpointStorageUsageRequest": {
    "description": "Project whose checkpoints to count: the query of a GET; absent: the whole organisation. Since 0.38.",
    "fields": {}
  },
  "GetInfoRequest": {
    "description": "Asks what a model is.",
    "fields": {}
  },
  "GetInfoResponse": {
    "description": "Description of a model: its base, its adapter and its optimizer.",
    "fields": {
      "optimizer_config": "Adam where the server does not say."
    }
  },
  "GetSamplerResponse": {
    "description": "Model that a sampler samples from. Since 0.6.",
    "fields": {}
  },
  "GetServerCapabilitiesResponse": {
    "description": "Models that the service offers.",
    "fields": {}
  },
  "GetSessionResponse": {
    "description": "Runs and samplers that a session has made. Since 0.5.",
    "fields": {
      "user_metadata": "Since 0.38.",
      "display_name": "Since 0.38."
    }
  },
  "GraphValue": {
    "description": "An argument of a graph node. Integers beyond 2⁵³ are bigints.",
    "fields": {}
  },
  "HealthResponse": {
    "description": "Health of the service.",
    "fields": {
      "status": "`ok`."
    }
  },
  "ImageAssetPointerChunk": {
    "description": "An image that the server fetches from a path or URL. Not possible in training requests over protobuf.",
    "fields": {
      "expected_tokens": "As in ImageChunk.",
      "height": "As in ImageChunk."
    }
  },
  "ImageChunk": {
    "description": "An image file that travels with the request. Since 0.3; in this form since 0.6.",
    "fields": {
      "data": "The file's bytes, or their base64 text.",
      "expected_tokens": "Number of tokens that the image will take. The server counts for itself and refuses early when this differs. Without it the length of the prompt is not known on this side.",
      "height": "Pixels, like `width`. Servers of the 0.4 generation need both, and `expected_tokens`; later ones are not sent them."
    }
  },
  "JoinSamplingSessionRequest": {
    "description": "Asks for a number of its own for a copied sampler. Since 0.38; each call uses one up.",
    "fields": {}
  },
  "JoinSamplingSessionResponse": {
    "description": "The number of a copied sampler. Since 0.38.",
    "fields": {
      "client_counter": "The original client is 0; a clone counts its requests from `client_counter × 10⁹`."
    }
  },
  "ListSessionsResponse": {
    "description": "Ids of the caller's sessions. Since 0.5.",
    "fields": {}
  },
  "LoadWeightsRequest": {
    "description": "Loads a checkpoint: into a model (`model_id`, `seq_id`), or as a new model of a session (`session_id`, `model_seq_id`; since 0.24), whose id then is `<session_id>:train:<model_seq_id>`.",
    "fields": {
      "base_model": "For a new model: a compatible variant in place of the checkpoint's own base.",
      "path": "A `tinker://` path.",
      "optimizer": "Also restore the optimizer. Since 0.6.",
      "optimizer_config": "For a new model loaded without optimizer state. Since 0.38.",
      "weights_access_token": "A secret of the checkpoint's owner. Since 0.18."
    }
  },
  "LoadWeightsResponse": {
    "description": "The result of loading a checkpoint.",
    "fields": {}
  },
  "LoraConfig": {
    "description": "The LoRA adapter of a model.",
    "fields": {
      "rank": "Dimension of the adapter.",
      "seed": "Seed of the initial weights; absent: the server draws one."
    }
  },
  "ModelData": {
    "description": "Parts of a model.",
    "fields": {
      "tokenizer_id": "Hugging Face name of the tokenizer; a revision behind a colon is cut off."
    }
  },
  "ModelInput": {
    "description": "Input of the model: tokens, images and audio in order.",
    "fields": {}
  },
  "ModelInputChunk": {
    "description": "One piece of a prompt. Told apart by `type`, or by its fields where `type` is left out.",
    "fields": {}
  },
  "OptimizerConfig": {
    "description": "The optimizer family of a model, fixed when it is created. Since 0.38; earlier servers know Adam only.",
    "fields": {}
  },
  "OptimizerParams": {
    "description": "One step of any family but Adam, whose parameters have no `type`.",
    "fields": {}
  },
  "OptimStepRequest": {
    "description": "One optimizer step with the gradients gathered since the last one. Exactly one of the two parameter fields is given.",
    "fields": {
      "optimizer_params": "Parameters of another family than Adam. Since 0.38."
    }
  },
  "OptimStepResponse": {
    "description": "The result of an optimizer step.",
    "fields": {
      "metrics": "Free names, e.g. `grad_norm`; absent when the service reports none."
    }
  },
  "PromptAltTokens": {
    "description": "Tokens drawn at prompt positions: both `[promptLength - 1, k]`.",
    "fields": {}
  },
  "ProvenanceSpan": {
    "description": "Origin of a run of a datum's positions. Spans exist in protobuf requests only, where the kind is the name of a member; `type` carries that name.",
    "fields": {}
  },
  "RequestFailedResponse": {
    "description": "The work failed.",
    "fields": {}
  },
  "SampledSequence": {
    "description": "One sample.",
    "fields": {
      "tokens": "Tokens that were generated, a stop token included.",
      "logprobs": "Log-probability of each token at temperature 1 and without filters, whatever temperature, `top_k` and `top_p` drew it.",
      "topk_logprobs": "Likeliest tokens at each position, where `topk_sample_logprobs` was asked.",
      "sequence_id": "Names this sample in provenance spans. From 0.38 servers."
    }
  },
  "SampleRequest": {
    "description": "Draws samples from a sampling session (with `seq_id`), or from a base model or checkpoint named here.",
    "fields": {
      "seq_id": "The session's own count of requests, from 0; clones count from multiples of 10⁹.",
      "prompt_logprobs": "Also score the prompt. Absent: the server's default, which is not to.",
      "topk_prompt_logprobs": "Likeliest tokens per prompt position; 0 = off.",
      "topk_sample_logprobs": "Likeliest tokens per generated token. Since 0.38.",
      "target_prompt_logprobs": "Score these ids: int64 `[promptLength - 1, K]`, cell (i, j) at prompt position i + 1; -1 asks nothing. Since 0.38.",
      "prompt_alt_tokens_k": "Draw k tokens at each prompt position after the first. Since 0.38.",
      "prompt_logprobs_last_n": "Score the last n prompt tokens only; needs `prompt_logprobs`. Since 0.38.",
      "record_stability_info": "Keep what StableReinforce training needs, under the sequence ids. Since 0.38."
    }
  },
  "SampleResponse": {
    "description": "The result of a sample request: one sequence for each sample, and scores of the prompt where asked.",
    "fields": {
      "prompt_logprobs": "One per prompt token; null where not computed, such as the first.",
      "prompt_cache_hit_tokens": "Prompt tokens the server had in its cache. Since 0.23.",
      "target_prompt_logprobs": "In shape and layout of the request's tensor; 0 where it had -1."
    }
  },
  "SamplingParams": {
    "description": "Parameters of drawing tokens.",
    "fields": {
      "max_tokens": "Most tokens to generate, 1 or more; absent: as far as the context allows.",
      "seed": "Any integer up to 64 bits.",
      "stop": "A string, strings, or token ids that end a sample. Absent: the model's end token. **`[]`: nothing ends it**, not even the end token; it runs to `max_tokens`.",
      "temperature": "0 = greedy.",
      "top_k": "Draw from the k likeliest tokens, 1 or more; -1 = all.",
      "top_p": "Draw from the likeliest tokens that together reach this probability, above 0 and at most 1."
    }
  },
  "SaveWeightsExternalRequest": {
    "description": "Exports weights as plain files. Since 0.38.",
    "fields": {
      "age_encryption_recipients": "age or SSH public keys, at most 10; every file is then encrypted and ends in `.age`."
    }
  },
  "SaveWeightsExternalResponse": {
    "description": "The result of an export. Since 0.38.",
    "fields": {}
  },
  "SaveWeightsForSamplerRequest": {
    "description": "Saves weights to sample from: under a name (`path`), or unnamed for one sampling session (`sampling_session_seq_id`).",
    "fields": {
      "sampling_session_seq_id": "The session's own count, shared with CreateSamplingSessionRequest.",
      "kind": "Since 0.38.",
      "ttl_seconds": "As in SaveWeightsRequest; not for inflight saves.",
      "user_metadata": "Since 0.38."
    }
  },
  "SaveWeightsForSamplerResponse": {
    "description": "The result of a save to sample from: one of the two, by what was asked.",
    "fields": {
      "path": "A `tinker://` path, after a named save.",
      "sampling_session_id": "After an unnamed save."
    }
  },
  "SaveWeightsRequest": {
    "description": "Saves weights and optimizer state, to go on training from.",
    "fields": {
      "path": "A name, not a `tinker://` path; absent: the server numbers it.",
      "ttl_seconds": "Seconds until it is deleted, 3 600 to ten years; absent: never. Since 0.9.",
      "overwrite": "Replace a checkpoint of that name. Since 0.20.",
      "user_metadata": "Since 0.38."
    }
  },
  "SaveWeightsResponse": {
    "description": "The result of a save to go on training from.",
    "fields": {
      "path": "A `tinker://` path."
    }
  },
  "SearchOwner": {
    "description": "Owners whose sessions to look through: the caller's, everybody's the caller may see, or those of 1 to 10 named owners.",
    "fields": {}
  },
  "SessionHeartbeatRequest": {
    "description": "Says that the client is alive; a server ends sessions that fall silent.",
    "fields": {}
  },
  "SessionHeartbeatResponse": {
    "description": "The answer to a heartbeat.",
    "fields": {}
  },
  "SessionSearchCursor": {
    "description": "End of a page of sessions. Sent back unchanged: a `Date` would lose microseconds and move the border.",
    "fields": {}
  },
  "SessionSearchRequest": {
    "description": "Looks for sessions. Since 0.38.",
    "fields": {
      "session_id": "Exact. With `display_name`: either may match.",
      "project_ids": "Absent: all projects the caller may list.",
      "user_metadata": "All pairs must match.",
      "display_name": "Every word must occur; case does not matter.",
      "limit": "Sessions per page, 1 to 200."
    }
  },
  "SessionSearchResponse": {
    "description": "One page of the sessions found. Since 0.38.",
    "fields": {
      "sessions": "Newest first.",
      "next_cursor": "Absent: this was the last page."
    }
  },
  "SessionStatus": {
    "description": "State of a session, by `type`: `active`, `cancelled`, `failed`, `client_finished`, or a kind we do not know.",
    "fields": {}
  },
  "SessionStatusQuery": {
    "description": "State to look for; `client_finished` may be narrowed by what the client said.",
    "fields": {}
  },
  "SessionSummary": {
    "description": "One session found.",
    "fields": {
      "status": "Absent: neither finished nor known to run."
    }
  },
  "SetCheckpointTtlRequest": {
    "description": "Sets or, with null, clears the time after which a checkpoint is deleted.",
    "fields": {}
  },
  "SetSessionProjectRequest": {
    "description": "Moves a session to a project.",
    "fields": {}
  },
  "SupportedModel": {
    "description": "A model the service offers.",
    "fields": {
      "max_context_length": "Tokens. Since 0.18.",
      "trainable": "Absent: not stated. Since 0.38.",
      "tokenizer_id": "Extension of the local server: the directory of the model, for clients on the same machine.",
      "stands_in": "Extension of the local server: this model serves requests for every model that is not listed.",
      "weights": "Extension of the local server: form of the linear layers, `int8` or `int4`. Absent: as the model has them."
    }
  },
  "TelemetryEvent": {
    "description": "One thing that happened in a session, told apart by `event`.",
    "fields": {}
  },
  "TelemetryResponse": {
    "description": "The answer to telemetry.",
    "fields": {
      "status": "`accepted`."
    }
  },
  "TelemetrySendRequest": {
    "description": "Reports events of a session, at most 100 at a time.",
    "fields": {
      "platform": "Operating system: `Linux`, `Darwin`, `Windows`.",
      "process_uuid": "Since 0.24."
    }
  },
  "TensorData": {
    "description": "A tensor: its elements in row-major order, and its shape. `TensorData.from` of `@tinkex/tensor` makes one from any array. Tensors from the service hold a `Float32Array` or a `BigInt64Array`, often a view on the bytes received.",
    "fields": {
      "data": "The elements, or in a sparse tensor the listed ones, row by row.",
      "shape": "Absent: one dimension, as long as the data. `[]`: a scalar.",
      "sparse_crow_indices": "CSR row pointers, `rows + 1` of them; makes the tensor sparse. Since 0.18.",
      "sparse_col_indices": "CSR column of each listed element."
    }
  },
  "TraceExportResponse": {
    "description": "State of the file that holds a session's traces. Since 0.24.",
    "fields": {
      "status": "`pending`, `ready` or `failed`."
    }
  },
  "TrainingRun": {
    "description": "A model and what was saved of it.",
    "fields": {
      "corrupted": "True if its state was lost."
    }
  },
  "TrainingRunsResponse": {
    "description": "One page of training runs.",
    "fields": {}
  },
  "TryAgainResponse": {
    "description": "The work is not done: ask again.",
    "fields": {
      "queue_state_reason": "For people. Since 0.7."
    }
  },
  "UnloadModelRequest": {
    "description": "Frees a model before its session ends. SDKs up to 0.25 only.",
    "fields": {}
  },
  "UnloadModelResponse": {
    "description": "The result of unloading a model.",
    "fields": {}
  },
  "UntypedAPIFuture": {
    "description": "Ticket that answers every request which starts work: the id under which its result will be.",
    "fields": {
      "sample_sequence_ids": "One id per requested sample, in the order of the final sequences. From 0.38 servers, for samples."
    }
  },
  "WeightsInfoRequest": {
    "description": "Asks what a checkpoint holds. Since 0.6.",
    "fields": {}
  },
  "WeightsInfoResponse": {
    "description": "Content of a checkpoint. Since 0.6.",
    "fields": {
      "train_unembed": "Absent: true. Since 0.8.",
      "optimizer_config": "Adam where the server does not say. Since 0.38."
    }
  },
  "WhoamiResponse": {
    "description": "Owner of a token: made from its claims, not an answer of the service. Since 0.23.",
    "fields": {
      "org_urn": "Since 0.38."
    }
  }
};
