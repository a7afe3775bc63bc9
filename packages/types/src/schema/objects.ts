import { unknownNames } from "@tinkex/base";
import * as z from "zod";

/**
 * Makes the schema of an object that we send: an unknown key is an error that names the nearest valid one. The schema is built
 * when it is first used, since building those of all records would make up most of the time this package takes to load.
 */
export function sentObject<Shape extends z.core.$ZodLooseShape>(
  shapeOf: () => Shape,
  { readReceived, elsewhere }: SentObjectOptions = {},
) {
  return z.lazy(() => {
    const shape = shapeOf();
    const names = Object.keys(shape);
    const schema = z.strictObject(shape, {
      error: (issue) =>
        issue.code === "unrecognized_keys" ? unknownNames(issue.keys, names, elsewhere) : undefined,
    });
    if (readReceived !== undefined) receivedForms.set(schema, readReceived);
    return schema;
  });
}

/** Options of the schema of an object that we send. */
interface SentObjectOptions {
  /** Reads what clients of other generations send for it. */
  readonly readReceived?: ReadReceived;
  /** Fields that belong to a neighbouring object, each with its place, for the message. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** Reads fields as a client of some generation wrote them into those of the record. */
type ReadReceived = (fields: Fields) => Fields;
type Fields = Readonly<Record<string, unknown>>;

const receivedForms = new WeakMap<object, ReadReceived>();

/** Gives what reads the fields of an object as they were received: as they are, unless its schema says otherwise. */
export function receivedFormOf(schema: object): (value: object) => Fields {
  const read = receivedForms.get(schema);
  const asFields = (value: object): Fields => value as Fields;
  return read === undefined ? asFields : (value) => read(asFields(value));
}

/** Makes the schema of a field that may be absent, and that a server then reads as this value. */
export function withDefault<Value, Input>(schema: z.ZodType<Value, Input>, value: NoInfer<Input>) {
  return schema.optional().meta({ default: value });
}

/** Gives the value that a server reads where the field is absent; undefined where it has none. */
export function defaultOf(field: z.core.$ZodType): unknown {
  return z.globalRegistry.get(field)?.default;
}

/**
 * Makes the schema of an object that we receive: unknown fields are kept, and `null` in a field that may be absent reads as
 * absent. Services write null for "unset" in places where their own schema says the field is optional or has a default.
 * Built when first used, like {@link sentObject}.
 */
export function receivedObject<Shape extends z.core.$ZodLooseShape>(shapeOf: () => Shape) {
  return typedInput(
    z.lazy(() => {
      const shape = shapeOf();
      // An optional field and one with a default differ in `optin`; only a required one has none.
      const mayBeAbsent = Object.keys(shape).filter((name) => shape[name]?._zod.optin !== undefined);
      return z.preprocess(withoutNulls(mayBeAbsent), z.looseObject(shape));
    }),
  );
}

/**
 * Declares that a schema takes what it gives, which is what a form or a router asks of its caller. zod declares that one which looks at
 * its input first takes anything, and so it does.
 */
export function typedInput<Value>(schema: z.ZodType<Value>): z.ZodType<Value, Value> {
  return schema as z.ZodType<Value, Value>;
}

/** Makes a function that leaves out null fields of these names. It gives the value itself where there is none. */
function withoutNulls(names: readonly string[]): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const fields = value as Readonly<Record<string, unknown>>;
    let kept: Record<string, unknown> | undefined;
    for (const name of names) {
      if (fields[name] !== null) continue;
      kept ??= { ...fields };
      delete kept[name];
    }
    return kept ?? value;
  };
}
