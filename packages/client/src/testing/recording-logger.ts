import type { Logger } from "@tinkex/types";

/** A logger that keeps what it is told, as `level: message`; what is for debugging goes elsewhere. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly debugLines: string[] = [];

  debug(message: string): void {
    this.debugLines.push(message);
  }

  info(message: string): void {
    this.lines.push(`info: ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error: ${message}`);
  }
}
