import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { literally } from "../../base/escaped.ts";
import { WrongUse } from "../../base/exit.ts";

/** An area of clauses, with its file. */
export interface Area {
  file: string;
  area: string;
  prefix: string;
  clauses: { id: string; operation?: string | string[]; quote: string | string[] }[];
}

/** Changes the files of a project, and remembers which. */
export class Project {
  readonly #root: string;
  readonly #changed = new Set<string>();

  constructor(root = path.resolve(import.meta.dirname, "../..")) {
    this.#root = root;
  }

  /** The files that were written, from the project's root. */
  get changed(): readonly string[] {
    return [...this.#changed];
  }

  read(file: string): string {
    const full = path.join(this.#root, file);
    if (!existsSync(full)) throw new WrongUse(`there is no ${file}`);
    return readFileSync(full, "utf8");
  }

  list(folder: string): string[] {
    return readdirSync(path.join(this.#root, folder)).toSorted();
  }

  /** @throws WrongUse when the file is there already */
  create(file: string, text: string): void {
    if (existsSync(path.join(this.#root, file))) throw new WrongUse(`${file} is there already`);
    this.#write(file, text);
  }

  append(file: string, text: string): void {
    this.#write(file, `${this.read(file).trimEnd()}\n${text}`);
  }

  /** Replaces a text that appears once in a file. @throws WrongUse when it does not */
  replace(file: string, from: string | RegExp, to: string): void {
    const text = this.read(file);
    const count =
      text.match(typeof from === "string" ? new RegExp(literally(from), "g") : new RegExp(from, "gm"))
        ?.length ?? 0;
    if (count !== 1)
      throw new WrongUse(`${file} should have this once, and has it ${count} times: ${String(from)}`);
    this.#write(file, text.replace(typeof from === "string" ? from : new RegExp(from, "m"), to));
  }

  /** The version of the contract as `spec/` has it, which may be newer than `generated/`. */
  version(): string {
    const { info } = parse(this.read("spec/openapi/root.yaml")) as { info: { version: string } };
    return info.version;
  }

  areas(): Area[] {
    const folder = "spec/clauses";
    const files = this.list(folder).filter((name) => name.endsWith(".yaml"));
    return files.map((name) => {
      const file = `${folder}/${name}`;
      return { file, ...(parse(this.read(file)) as Omit<Area, "file">) };
    });
  }

  /** @throws WrongUse when no area has that prefix */
  areaOf(prefix: string): Area {
    const areas = this.areas();
    const area = areas.find((area) => area.prefix === prefix);
    if (area === undefined)
      throw new WrongUse(
        `${prefix} is not an area; areas are ${areas.map((area) => area.prefix).join(", ")}`,
      );
    return area;
  }

  /** Writes a clause with the next free number of its area. @returns its id */
  addClause(prefix: string, clause: { text: string; quote: string; operation: string }): string {
    const area = this.areaOf(prefix);
    const last = Math.max(...area.clauses.map(({ id }) => Number(id.split("-")[1])));
    const id = `${prefix}-${String(last + 1).padStart(2, "0")}`;
    this.append(
      area.file,
      `  - id: ${id}
    level: must
    text: ${JSON.stringify(clause.text)}
    quote: ${JSON.stringify(clause.quote)}
    basis: stated
    since: ${this.version()}
    operation: ${clause.operation}
    seen: blackbox
`,
    );
    return id;
  }

  #write(file: string, text: string): void {
    writeFileSync(path.join(this.#root, file), text);
    this.#changed.add(file);
  }
}
