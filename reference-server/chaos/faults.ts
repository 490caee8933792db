import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Beside } from "../http/app.ts";
import type { Logger } from "pino";

/** Something that chaos did to a request. */
export interface Fault {
  /** Counts from 1. */
  number: number;
  /** What it was done to: an operation, or the provider of a tool. */
  where: string;
  /** The how-many-th request of the operation, or execution of the tool, it was; from 1. */
  request: number;
  /** What was done. */
  fault: string;
}

/** Faults that are kept in memory; the file holds all. */
const mostKept = 10_000;

/** The faults of one run: each in the log, as a line of `chaos.jsonl` in the data folder, and to be read over HTTP. */
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
    const one: Fault = { number: (this.#count += 1), where, request, fault };
    this.list.push(one);
    if (this.list.length > mostKept) this.list.shift();
    appendFileSync(this.file, `${JSON.stringify(one)}\n`);
    this.#log.info({ chaos: one }, `chaos: ${fault} (${where} ${request})`);
  }

  /** `GET /chaos`: the seed and the faults so far. It stands beside the API, and is no part of it. */
  readonly beside: Beside = (app) => {
    app.get("/chaos", (_request, response) => {
      response.json({ seed: this.seed, faults: this.list });
    });
  };
}
