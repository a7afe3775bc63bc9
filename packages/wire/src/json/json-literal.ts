/** Text that stands in JSON as it is, where the value alone does not say how it is to be written. */
export class JsonLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
