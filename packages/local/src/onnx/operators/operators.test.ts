import { beforeEach, describe, expect, it } from "vitest";
import type { Shape } from "../dimension.js";
import { GraphBuilder } from "../graph-builder.js";
import { broadcastShapes } from "./broadcast-shapes.js";
import { add, and, equal, select } from "./elementwise.js";
import { gatherLastAxis, gatherRows, scatterAddLastAxis } from "./gather.js";
import { matMul } from "./mat-mul.js";
import { meanLastAxis, sumLastAxis } from "./reduce.js";
import { flattenRows, reshape } from "./reshape.js";
import { transpose } from "./transpose.js";

let graph: GraphBuilder;
beforeEach(() => {
  graph = new GraphBuilder();
});
let count = 0;
const float = (...shape: Shape) => graph.input(`float ${count++}`, "float32", shape);
const ids = (...shape: Shape) => graph.input(`ids ${count++}`, "int32", shape);

describe("broadcastShapes", () => {
  it("matches axes from the last and stretches length 1", () => {
    expect(broadcastShapes("Add", ["rows", "time", 4], [4])).toEqual(["rows", "time", 4]);
    expect(broadcastShapes("Add", ["rows", 1], [1, 3])).toEqual(["rows", 3]);
    expect(broadcastShapes("Add", [], [2])).toEqual([2]);
  });

  it("names shapes that do not go together", () => {
    expect(() => broadcastShapes("Add", ["rows", 3], [2])).toThrow(
      "Add: shapes [rows, 3] and [2] do not go together",
    );
  });
});

describe("element-wise operators", () => {
  it("refuse operands of different types", () => {
    expect(() => add(graph, float(2), ids(2))).toThrow(
      /Add: operands must be of one type, got float \d+ of float32 and ids \d+ of int32$/,
    );
  });

  it("compare to bool and select by it", () => {
    const condition = equal(graph, float("rows", 2), float(2));
    expect(condition).toMatchObject({ type: "bool", shape: ["rows", 2] });
    expect(and(graph, condition, condition).type).toBe("bool");
    expect(select(graph, condition, float(1), float(2))).toMatchObject({
      type: "float32",
      shape: ["rows", 2],
    });
    expect(() => select(graph, float(2), float(2), float(2))).toThrow(
      "Where: must be bool ? T : T, got float32 ? float32 : float32",
    );
  });
});

describe("matMul", () => {
  it("works out the shape, transposed and batched", () => {
    expect(matMul(graph, float("rows", "time", 4), float(4, 5)).shape).toEqual(["rows", "time", 5]);
    expect(matMul(graph, float("rows", 3, 4), float("rows", 5, 4), { transposeRight: true }).shape).toEqual([
      "rows",
      3,
      5,
    ]);
    expect(matMul(graph, float("n", 4), float("n", 5), { transposeLeft: true }).shape).toEqual([4, 5]);
  });

  it("says which side has how many rows and columns", () => {
    expect(() => matMul(graph, float("rows", 4), float(5, 4))).toThrow(
      "MatMul: [rows, 4] has 4 columns, [5, 4] has 5 rows",
    );
    expect(() => matMul(graph, float(4), float(4, 5))).toThrow("must be a matrix, got [4]");
  });
});

describe("reshape", () => {
  it("keeps a symbolic length on its axis and one more elsewhere", () => {
    const value = float("rows", 2, "time", 4);
    expect(reshape(graph, value, ["rows", "2*time", 4]).shape).toEqual(["rows", "2*time", 4]);
    expect(reshape(graph, value, value.shape)).toBe(value);
  });

  it("refuses another size and two open lengths", () => {
    expect(() => reshape(graph, float("rows", 4), ["rows", 5])).toThrow(
      "Reshape: [rows, 4] and [rows, 5] differ in size",
    );
    expect(() => reshape(graph, float("rows", "time"), ["time", "rows"])).toThrow("leaves two lengths open");
  });

  it("flattens all axes but the last", () => {
    expect(flattenRows(graph, float("rows", "time", "rank")).shape).toEqual(["rows*time", "rank"]);
  });
});

describe("transpose", () => {
  it("orders the axes", () => {
    expect(transpose(graph, float("rows", "time", 4), [0, 2, 1]).shape).toEqual(["rows", 4, "time"]);
  });

  it("refuses what is not an order of the axes", () => {
    expect(() => transpose(graph, float("rows", 4), [0, 0])).toThrow(
      "order must name each axis once, got [0, 0]",
    );
    expect(() => transpose(graph, float("rows", 4), [0, 1, 2])).toThrow("does not fit [rows, 4]");
  });
});

describe("gathering, scattering, reducing", () => {
  it("work out their shapes", () => {
    expect(gatherRows(graph, float(10, 4), ids("rows", "time")).shape).toEqual(["rows", "time", 4]);
    expect(gatherLastAxis(graph, float("rows", 10), ids("rows", "k")).shape).toEqual(["rows", "k"]);
    expect(scatterAddLastAxis(graph, float("rows", 10), ids("rows", "k"), float("rows", "k")).shape).toEqual([
      "rows",
      10,
    ]);
    expect(sumLastAxis(graph, float("rows", 4)).shape).toEqual(["rows", 1]);
    expect(meanLastAxis(graph, float("rows", 4)).shape).toEqual(["rows", 1]);
  });

  it("refuse indices that do not fit", () => {
    expect(() => gatherLastAxis(graph, float("rows", 10), ids("time", "k"))).toThrow(
      "indices [time, k] do not fit [rows, 10]",
    );
    expect(() => scatterAddLastAxis(graph, float("rows", 10), ids("rows", 2), float("rows", 3))).toThrow(
      "[rows, 3] updates for [rows, 2] indices",
    );
  });
});
