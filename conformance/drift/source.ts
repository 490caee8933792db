import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { WrongUse } from "../judge/verdict.ts";
import { parsed, Document } from "./document.ts";

/** A folder of the project as it is on disk, or as it was in a git revision. */
export interface Tree {
  /** The text of a file; undefined when there is none. */
  read: (file: string) => string | undefined;
  /** The names of the files in a folder; empty when there is none. */
  list: (folder: string) => string[];
  /** How a file of the tree is called in a report. */
  shown: (file: string) => string;
}

/** One side of a comparison: a document, and the tree that it stands in. */
export interface Source {
  /** As it was named on the command line. */
  name: string;
  document: Document;
  tree: Tree;
  /** The document's path in its tree. */
  file: string;
  /** The path in the tree of the project's folder, which holds `spec/`; empty when it is the tree's own. */
  project: string;
}

/** The document of a project, when only a revision is named. */
const usualFile = "generated/openapi.json";

const onDisk: Tree = {
  read: (file) => (existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : undefined),
  list: (folder) => (existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []),
  shown: (file) => path.relative("", path.resolve(file)) || file,
};

/** Runs git. Answers what it printed, or the first line of its complaint as an Error. */
function git(args: string[]): string | Error {
  try {
    return execFileSync("git", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 256 * 1024 * 1024,
    });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return new Error((stderr || message).split("\n")[0]!.replace(/^fatal: /, ""), { cause: error });
  }
}

/** The project as it was in a revision; its files are paths from the repository's root. */
const inRevision = (revision: string): Tree => ({
  read: (file) => {
    const text = git(["show", `${revision}:${file}`]);
    return text instanceof Error ? undefined : text;
  },
  list: (folder) => {
    const names = git(["ls-tree", "--name-only", `${revision}:${folder}`]);
    return names instanceof Error ? [] : names.split("\n").filter((name) => name !== "");
  },
  shown: (file) => `${revision}:${file}`,
});

/**
 * Reads one side of a comparison.
 * @param name a JSON or YAML file, `revision:path`, or a revision alone, whose generated/openapi.json is meant
 * @throws WrongUse when it is none of these, or no OpenAPI document
 */
export function readSource(name: string): Source {
  const { tree, file } = locate(name);
  const text = tree.read(file);
  if (text === undefined) throw new WrongUse(`${name} cannot be read: there is no such file`);
  const folder = path.dirname(file);
  return {
    name,
    document: new Document(name, parsed(name, text)),
    tree,
    file,
    project: path.basename(folder) === "generated" ? path.dirname(folder) : folder,
  };
}

function locate(name: string): { tree: Tree; file: string } {
  if (name === "" || name.startsWith("-")) {
    throw new WrongUse(`${name === "" ? "An empty name" : name} is no file and no git revision`);
  }
  if (existsSync(name)) {
    if (statSync(name).isFile()) return { tree: onDisk, file: path.normalize(name) };
    const inside = path.join(name, usualFile);
    if (existsSync(inside)) return { tree: onDisk, file: inside };
    throw new WrongUse(`${name} is a folder without ${usualFile}; name a JSON or YAML file`);
  }
  const colon = name.indexOf(":");
  const revision = colon < 0 ? name : name.slice(0, colon);
  const file = colon < 0 ? usualFile : name.slice(colon + 1);
  const known = git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`]);
  if (known instanceof Error) {
    throw new WrongUse(
      `${name} is no file, and ${revision || "nothing"} is no git revision here; name a file, or a revision such as main:${usualFile}`,
    );
  }
  const tree = inRevision(revision);
  if (tree.read(file) === undefined) throw new WrongUse(`the git revision ${revision} has no file ${file}`);
  return { tree, file };
}
