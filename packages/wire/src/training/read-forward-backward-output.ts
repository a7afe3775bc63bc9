import { defineOwn } from "@tinkex/base";
import type { ForwardBackwardOutput, NamedTensors, TensorData } from "@tinkex/types";
import { ProtoReader } from "../proto-bytes/proto-reader.js";
import { readElements } from "../proto-bytes/read-elements.js";

/** Datums a result may claim without a byte of data for them. The largest requests have 1024 datums. */
const MAX_EMPTY_DATUMS = 65_536;

/** Records and metrics a result may have: a record joins the results of some datums, and of metrics there are tens. */
const MAX_RECORDS = 65_536;
const MAX_METRICS = 65_536;

/** About what a tensor of a datum takes beside its elements, and what a metric takes, in bytes. */
const TENSOR_BYTES = 320;
const METRIC_BYTES = 160;

/** Outputs of a datum without tensors; shared, so that a claim of many costs little. */
const NO_TENSORS: NamedTensors = Object.freeze({});

/**
 * Reads a training result. The tensors are views on `body` where they are aligned, else on one copy per field.
 *
 * @throws DecodeError, also for offsets that are out of range, decreasing or not on an element's border
 */
export function readForwardBackwardOutput(body: Uint8Array): ForwardBackwardOutput {
  const reader = ProtoReader.of(body, "ForwardBackwardOutput");
  let typeName = "";
  let recordCount = 0;
  let datumCount = 0;
  let metricCount = 0;
  const columns = new Map<string, TensorData[]>();
  const metrics: Record<string, number> = {};
  while (reader.next()) {
    if (reader.field === 1) typeName = reader.text("loss_fn_output_type");
    else if (reader.field === 2) {
      if (recordCount === MAX_RECORDS)
        throw reader.fault("loss_fn_outputs", `more than ${MAX_RECORDS} records`);
      datumCount += readRecord(reader.message(`loss_fn_outputs[${recordCount}]`), columns);
      recordCount += 1;
    } else if (reader.field === 3) {
      if (metricCount === MAX_METRICS) throw reader.fault("metrics", `more than ${MAX_METRICS} metrics`);
      readMetric(reader.entry("metrics"), metrics);
      metricCount += 1;
    } else reader.skip();
  }
  return {
    loss_fn_output_type:
      recordCount === 0 ? typeName || "ArrayRecord" : typeName.slice(typeName.lastIndexOf(":") + 1),
    loss_fn_outputs: rowsOf(reader, columns, datumCount),
    metrics,
  };
}

/** Adds a record's tensors to the columns and gives the number of datums it claims. */
function readRecord(reader: ProtoReader, columns: Map<string, TensorData[]>): number {
  let count = 0;
  // A key twice in one record replaces its tensors; in another record it goes on with them.
  const fields = new Map<string, TensorData[]>();
  while (reader.next()) {
    if (reader.field === 1) reader.text("type_tag");
    else if (reader.field === 2) readField(reader.entry("fields"), fields);
    else if (reader.field === 3) {
      count = reader.integer("num_datums");
      if (count < 0) throw reader.fault("num_datums", `negative count ${count}`);
    } else reader.skip();
  }
  for (const [key, tensors] of fields) {
    const column = columns.get(key);
    if (column === undefined) columns.set(key, tensors);
    else for (const tensor of tensors) column.push(tensor);
  }
  return count;
}

function readField(reader: ProtoReader, fields: Map<string, TensorData[]>): void {
  let key = "";
  let tensors: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text("key");
    else if (reader.field === 2) tensors = reader.message(key, tensors);
    else reader.skip();
  }
  if (tensors === undefined) throw reader.fault(key, "a field without a tensor");
  fields.set(key, readBatchedTensor(tensors));
}

function readBatchedTensor(reader: ProtoReader): TensorData[] {
  let data: Uint8Array = new Uint8Array(0);
  let offsetBytes: Uint8Array = new Uint8Array(0);
  let dtype = 0;
  const trailing: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) data = reader.bytes("data");
    else if (reader.field === 2) offsetBytes = reader.elements("offsets", 8);
    else if (reader.field === 3) dtype = reader.int32("dtype");
    else if (reader.field === 4) reader.dimensions("trailing_shape", trailing);
    else reader.skip();
  }
  reader.spend((offsetBytes.length / 8) * TENSOR_BYTES, "offsets");
  const elements = readElements(reader, data, dtype, "data");
  const borders = bordersOf(reader, offsetBytes, data.length, elements.elementBytes);
  const rowSize = trailing.length === 0 ? 1 : rowSizeOf(reader, trailing);
  const tensors: TensorData[] = [];
  for (let index = 0; index + 1 < borders.length; index += 1) {
    const start = borders[index] ?? 0;
    const end = borders[index + 1] ?? 0;
    const rows = rowSize === 0 ? 0 : (end - start) / rowSize;
    if (!Number.isInteger(rows) || (rowSize === 0 && end > start)) {
      throw reader.fault(
        "trailing_shape",
        `${end - start} elements do not divide into rows of [${trailing.join(", ")}]`,
      );
    }
    const shape = trailing.length === 0 ? [rows] : [rows, ...trailing];
    tensors.push({ data: elements.data.subarray(start, end), dtype: elements.dtype, shape });
  }
  return tensors;
}

/** Borders between datums, counted in elements; the wire counts bytes of the elements as sent. */
function bordersOf(
  reader: ProtoReader,
  offsetBytes: Uint8Array,
  dataLength: number,
  elementBytes: number,
): number[] {
  const view = new DataView(offsetBytes.buffer, offsetBytes.byteOffset, offsetBytes.byteLength);
  const borders: number[] = [];
  let previous = 0;
  for (let index = 0; index * 8 < offsetBytes.length; index += 1) {
    const offset = view.getInt32(index * 8 + 4, true) * 0x1_0000_0000 + view.getUint32(index * 8, true);
    if (offset < previous || offset > dataLength) {
      const range = index === 0 ? `0 to ${dataLength}` : `${previous} to ${dataLength}`;
      throw reader.fault("offsets", `offset ${index} is ${offset}, not within ${range}`);
    }
    if (offset % elementBytes !== 0) {
      throw reader.fault(
        "offsets",
        `offset ${index} is ${offset}, inside an element of ${elementBytes} bytes`,
      );
    }
    borders.push(offset / elementBytes);
    previous = offset;
  }
  return borders;
}

function rowSizeOf(reader: ProtoReader, trailing: readonly number[]): number {
  let size = 1;
  for (const dimension of trailing) {
    size *= dimension;
    if (dimension < 0 || !Number.isSafeInteger(size)) {
      throw reader.fault("trailing_shape", `[${trailing.join(", ")}] is not a shape`);
    }
  }
  return size;
}

/** Turns columns into one map of tensors a datum. The claimed count wins; where it is 0, the first column's length. */
function rowsOf(reader: ProtoReader, columns: Map<string, TensorData[]>, claimed: number): NamedTensors[] {
  const [first] = columns.values();
  if (first === undefined && claimed > MAX_EMPTY_DATUMS) {
    throw reader.fault("loss_fn_outputs.num_datums", `${claimed} datums without any data`);
  }
  const count = claimed === 0 ? (first?.length ?? 0) : claimed;
  for (const [key, column] of columns) {
    if (column.length >= count) continue;
    throw reader.fault(`loss_fn_outputs.fields.${key}`, `${column.length} tensors for ${count} datums`);
  }
  if (first === undefined) return new Array<NamedTensors>(count).fill(NO_TENSORS);
  const rows: Record<string, TensorData>[] = [];
  for (let index = 0; index < count; index += 1) rows.push({});
  for (const [key, column] of columns) {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index];
      const tensor = column[index];
      if (row !== undefined && tensor !== undefined) defineOwn(row, key, tensor);
    }
  }
  return rows;
}

function readMetric(reader: ProtoReader, metrics: Record<string, number>): void {
  let key = "";
  let value = 0;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text("key");
    else if (reader.field === 2) value = reader.double("value");
    else reader.skip();
  }
  reader.spend(METRIC_BYTES, key);
  defineOwn(metrics, key, value);
}
