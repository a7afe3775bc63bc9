/** Fault of one operation of a graph, in words without its place: who runs the operation knows node, graph and datum. */
export class OperationFault extends Error {
  override readonly name = "OperationFault";
}
