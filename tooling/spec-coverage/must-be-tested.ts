/** The pages of facts that end in a numbered list of what must be tested, and how many numbers each has. */
export const mustBeTested: Readonly<Record<string, number>> = {
  "wire-types": 42,
  protobuf: 34,
  "newest-wire": 38,
  transport: 98,
};
