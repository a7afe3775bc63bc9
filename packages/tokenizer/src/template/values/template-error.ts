/** A failure while a template is read or runs; the line is added where it is known. Never leaves the package. */
export class TemplateError extends Error {
  line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.name = "TemplateError";
    this.line = line;
  }
}

/** The error for what Python's jinja2 renders and this package does not, so that no text differs in silence. */
export function unsupported(construct: string): TemplateError {
  return new TemplateError(`${construct} is not supported here`);
}
