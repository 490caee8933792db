import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { WrongUse } from "../../cli/exit.ts";
import { decoded, Document, splitReference, visitObjects } from "./document.ts";
import type { Json } from "./json.ts";
import { parsed, type Text } from "./text.ts";

/** A project folder, on disk or in a git revision; a document from the web has no tree. */
export interface Tree {
  /** The text of a file; undefined when there is none. */
  read: (file: string) => string | undefined;
  /** The names of the files in a folder; empty when it does not exist or cannot be listed. */
  list: (folder: string) => string[];
  /** The name of a file of the tree in a report. */
  shown: (file: string) => string;
  /** Reads several files in one step, if reading them one by one is slow. */
  prepare?: (files: readonly string[]) => void;
}

/** One side of a comparison: a document and the tree it comes from. */
export interface Source {
  /** As given on the command line. */
  name: string;
  document: Document;
  tree: Tree;
  /** The document's path in its tree. */
  file: string;
  /** The texts of the document (under the empty name) and of the files that it references. */
  texts: ReadonlyMap<string, Text>;
  /** The path, in the tree, of the project's folder, which contains `spec/`; empty for the tree's root. */
  project: string;
}

/** The default document of a project when only a revision is given. */
const usualFile = "generated/openapi.json";
const standardInput = "-";
const fetchTimeoutSeconds = 60;

const onDisk: Tree = {
  read: (file) =>
    existsSync(file) && !statSync(file).isDirectory() ? readFileSync(file, "utf8") : undefined,
  list: (folder) => (existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []),
  shown: (file) =>
    file === standardInput ? "the standard input" : path.relative("", path.resolve(file)) || file,
};

/** The output of git; undefined where it fails. */
function git(args: string[], input = ""): Buffer | undefined {
  try {
    return execFileSync("git", args, { input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: Infinity });
  } catch {
    return undefined;
  }
}

/** The working folder from the repository's root, with a slash at its end; empty at the root or without a repository. */
export const folderInRepository = (): string => String(git(["rev-parse", "--show-prefix"]) ?? "").trim();

/** The project in a given revision; its files are paths from the repository's root. */
function inRevision(revision: string): Tree {
  const known = new Map<string, string | undefined>();
  /** Reads files in one run of git. */
  const prepare = (files: readonly string[]): void => {
    const names = files.map((file) => `${revision}:${file}\n`).join("");
    const output = git(["cat-file", "--batch"], names) ?? Buffer.alloc(0);
    let at = 0;
    for (const file of files) {
      const end = output.indexOf("\n", at);
      const size = / blob (\d+)$/.exec(output.toString("utf8", at, Math.max(at, end)))?.[1];
      at = end + 1;
      known.set(file, size === undefined ? undefined : output.toString("utf8", at, at + Number(size)));
      if (size !== undefined) at += Number(size) + 1;
    }
  };
  return {
    read: (file) => {
      if (!known.has(file)) prepare([file]);
      return known.get(file);
    },
    prepare,
    list: (folder) => {
      const names = String(git(["ls-tree", "--name-only", `${revision}:${folder}`]) ?? "");
      return names.split("\n").filter((name) => name !== "");
    },
    shown: (file) => `${revision}:${file}`,
  };
}

const onTheWeb: Tree = { read: () => undefined, list: () => [], shown: (address) => address };

async function fetched(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(fetchTimeoutSeconds * 1000) });
    if (!answer.ok) throw new Error(`it was answered with status ${answer.status}`);
    return await answer.text();
  } catch (error) {
    const { message, cause } = error as Error;
    const why = (cause instanceof Error && cause.message) || message;
    throw new WrongUse(`${address} cannot be fetched: ${why}`, { cause: error });
  }
}

const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

/**
 * Reads one side of a comparison, with every file that it references.
 * @param given a JSON or YAML file, an http or https address, `revision:path`, or a bare revision, which means its
 *   generated/openapi.json
 * @throws WrongUse when it is none of these, or not an OpenAPI document
 */
export async function readSource(given: string): Promise<Source> {
  const { tree, file } = locate(given);
  const name = given === standardInput ? tree.shown(file) : given;
  const texts = new Map<string, Text>();
  const read = async (key: string, one: string, why: string): Promise<Json> => {
    const content = await readFrom(tree, one);
    if (content === undefined) throw new WrongUse(why);
    const text = parsed(tree.shown(one), content);
    texts.set(key, text);
    return text.value as Json;
  };
  /** The name of the file in a reference; the empty name is the document itself. */
  const resolve = (reference: string, from: string): string => {
    const base = from === "" ? file : from;
    const found =
      isAddress(reference) || isAddress(base)
        ? (URL.parse(reference, isAddress(base) ? base : undefined)?.href ?? reference)
        : path.posix.join(path.posix.dirname(base), decoded(reference));
    return found === file ? "" : found;
  };
  const root = await read("", file, `${name} cannot be read: there is no such file`);
  const others = new Map<string, Json>();
  let layer = new Map<string, Json>([["", root]]);
  while (layer.size > 0) {
    const wanted = new Map<string, string>();
    for (const [from, content] of layer) {
      for (const reference of filesReferredTo(content)) {
        const why = `${tree.shown(from || file)} refers to the file ${reference}, which cannot be read`;
        wanted.set(resolve(reference, from), why);
      }
    }
    for (const key of texts.keys()) wanted.delete(key);
    tree.prepare?.([...wanted.keys()].filter((key) => !isAddress(key)));
    layer = new Map();
    for (const [key, why] of wanted) layer.set(key, await read(key, key, why));
    for (const [key, content] of layer) others.set(key, content);
  }
  const folder = path.posix.dirname(file);
  const project = path.posix.basename(folder) === "generated" ? path.posix.dirname(folder) : folder;
  return { name, document: new Document(name, root, others, resolve), tree, file, texts, project };
}

async function readFrom(tree: Tree, file: string): Promise<string | undefined> {
  if (isAddress(file)) return fetched(file);
  try {
    if (file === standardInput) return await text(process.stdin);
    return tree.read(file);
  } catch (error) {
    throw new WrongUse(`${tree.shown(file)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The other files that a document references, by the names it uses. */
function filesReferredTo(root: Json): Set<string> {
  const files = new Set<string>();
  const ids = new Set<string>();
  visitObjects(root, ({ $ref, $id }) => {
    if (typeof $id === "string") ids.add($id);
    if (typeof $ref === "string") files.add(splitReference($ref)[0]);
  });
  files.delete("");
  return new Set([...files].filter((file) => !ids.has(file)));
}

function locate(name: string): { tree: Tree; file: string } {
  if (name === standardInput) return { tree: onDisk, file: standardInput };
  if (name === "" || name.startsWith("-"))
    throw new WrongUse(`${name || "An empty name"} is neither a file nor a git revision`);
  if (isAddress(name)) {
    if (!URL.canParse(name)) throw new WrongUse(`${name} is not a valid address`);
    return { tree: onTheWeb, file: new URL(name).href };
  }
  if (existsSync(name)) {
    if (!statSync(name).isDirectory()) return { tree: onDisk, file: path.posix.normalize(name) };
    const inside = path.posix.join(name, usualFile);
    if (existsSync(inside)) return { tree: onDisk, file: inside };
    throw new WrongUse(`${name} is a folder without ${usualFile}; name a JSON or YAML file`);
  }
  const colon = name.indexOf(":");
  const revision = colon < 0 ? name : name.slice(0, colon);
  const written = colon < 0 ? usualFile : name.slice(colon + 1);
  const file = /^\.\.?\//.test(written) ? path.posix.join(folderInRepository(), written) : written;
  if (git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`]) === undefined) {
    const advice = `name a file, an address, or a revision such as main:${usualFile}`;
    const named = revision || "nothing";
    throw new WrongUse(`${name} is not a file, and ${named} is not a git revision here; ${advice}`);
  }
  const tree = inRevision(revision);
  if (tree.read(file) === undefined) throw new WrongUse(`the git revision ${revision} has no file ${file}`);
  return { tree, file };
}
