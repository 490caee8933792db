import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Beside } from "../http/app.ts";
import type { Logger } from "pino";

/** A fault injected into a request. */
export interface Fault {
  /** Counts from 1. */
  number: number;
  /** The affected operation, or the provider of the affected tool. */
  where: string;
  /** The ordinal of the operation's request, or of the tool's execution; from 1. */
  request: number;
  /** The kind of fault. */
  fault: string;
}

/** Faults kept in memory; the file holds all of them. */
const maxKept = 10_000;

/** The faults of one run: each is logged, appended to `chaos.jsonl` in the data folder, and readable over HTTP. */
export class Faults {
  readonly seed: string;
  readonly file: string;
  readonly list: Fault[] = [];
  readonly #log: Logger;
  #count = 0;

  constructor(seed: string, folder: string, log: Logger) {
    this.seed = seed;
    this.file = join(folder, "chaos.jsonl");
    this.#log = log;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.file, "");
  }

  add(where: string, request: number, fault: string): void {
    const struck: Fault = { number: (this.#count += 1), where, request, fault };
    this.list.push(struck);
    if (this.list.length > maxKept) this.list.shift();
    appendFileSync(this.file, `${JSON.stringify(struck)}\n`);
    this.#log.info({ chaos: struck }, `chaos: ${fault} (${where} ${request})`);
  }

  /** `GET /chaos`: the seed and the faults so far. Not part of the API. */
  readonly beside: Beside = (app) => {
    app.get("/chaos", (_request, response) => {
      response.json({ seed: this.seed, faults: this.list });
    });
  };
}
