import { parentPort, workerData } from "node:worker_threads";
import { Ajv2020 } from "ajv/dist/2020.js";

/** A schema and a content, as the thread is given them. */
export interface Given {
  schema: Record<string, unknown>;
  content: unknown;
}

function isSatisfied({ schema: { $schema: _dialect, ...schema }, content }: Given): boolean {
  try {
    return new Ajv2020({ strict: false, validateFormats: false, logger: false }).validate(schema, content);
  } catch {
    return false;
  }
}

parentPort!.postMessage(isSatisfied(workerData as Given));
