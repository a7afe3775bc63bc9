import type { Logger } from "@tinkex/base";
import { witnessLogger } from "@tinkex-tooling/canary";

type Fields = Readonly<Record<string, unknown>>;

/** A logger that keeps what it is told, as `level: message`, and has it witnessed; what is for debugging goes elsewhere. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly debugLines: string[] = [];

  debug(message: string, fields?: Fields): void {
    witnessLogger.debug(message, fields);
    this.debugLines.push(message);
  }

  info(message: string, fields?: Fields): void {
    witnessLogger.info(message, fields);
    this.lines.push(`info: ${message}`);
  }

  warn(message: string, fields?: Fields): void {
    witnessLogger.warn(message, fields);
    this.lines.push(`warn: ${message}`);
  }

  error(message: string, fields?: Fields): void {
    witnessLogger.error(message, fields);
    this.lines.push(`error: ${message}`);
  }
}
