import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { WrongUse } from "../../../cli/exit.ts";
import { recordedIn } from "../../traffic/har.ts";
import type { Crossed } from "../affected.ts";

/** The exchanges of a HAR file, or of a folder of them. @throws WrongUse when the folder has none */
export async function* recordedExchanges(source: string): AsyncGenerator<Crossed> {
  for (const file of filesOf(source)) {
    let number = 0;
    for await (const { exchange } of recordedIn(file)) {
      number += 1;
      yield { ...exchange, title: `${path.basename(file)} entry ${number}` };
    }
  }
}

function filesOf(source: string): string[] {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return [source];
  const files = readdirSync(source).filter((name) => /\.har(\.gz)?$/i.test(name));
  if (files.length === 0) throw new WrongUse(`--traffic ${source} is a folder without a .har file`);
  return files.toSorted().map((name) => path.join(source, name));
}
