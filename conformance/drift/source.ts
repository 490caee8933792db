import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { decoded } from "../../base/address.ts";
import { WrongUse } from "../../base/exit.ts";
import { fileText, givenText, streamText } from "../../base/read.ts";
import type { YamlFile } from "../../base/yaml/file.ts";
import { Document, fileOf, selfOf, type DocumentFile } from "./document.ts";
import { parsed } from "../../base/yaml/text.ts";

/** A project folder, on disk or in a git revision; a document from the web has no tree. */
interface Tree {
  /** The text of a file; undefined when there is none. Where reading is slow, reads in one step what comes next. */
  read: (file: string, next?: readonly string[]) => string | undefined;
  /** The names of the files in a folder; empty when it does not exist or cannot be listed. */
  list: (folder: string) => string[];
  isOnDisk?: true;
  /** The name of a file of the tree in a report. */
  shown: (file: string) => string;
}

/** What a document may lead to, besides the files of its own folder. */
export interface Reach {
  /** Addresses that it refers to, and those to which an address redirects. */
  fetch?: boolean;
  /** The folder whose files it may refer to, from the working folder; its own by default. */
  root?: string | undefined;
  /** A further folder that is read, in the tree of the document. */
  beside?: string | undefined;
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
  texts: ReadonlyMap<string, YamlFile>;
  /** The path, in the tree, of the project's folder, which contains `spec/`; empty for the tree's root. */
  project: string;
}

/** The default document of a project when only a revision is given. */
const usualFile = "generated/openapi.json";
const standardInput = "-";
const fetchTimeoutSeconds = 60;
/** What is read of one file: several times the largest documents in use. */
const mostBytes = 64 * 2 ** 20;

/** The files below some folders; a link does not lead out of them. */
function onDisk(folders: readonly string[]): Tree {
  const roots = folders.map((folder) => (existsSync(folder) ? realpathSync(folder) : path.resolve(folder)));
  const isThere = (name: string): boolean => {
    if (!existsSync(name)) return false;
    requireInside(name, realpathSync(name), roots);
    return true;
  };
  return {
    isOnDisk: true,
    read: (file) => (isThere(file) && !statSync(file).isDirectory() ? fileText(file, mostBytes) : undefined),
    list: (folder) => (isThere(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []),
    shown: (file) =>
      file === standardInput ? "the standard input" : path.relative("", path.resolve(file)) || file,
  };
}

/** @throws WrongUse when a file is below none of the folders */
function requireInside(name: string, file: string, folders: readonly string[]): void {
  const isInside = (folder: string): boolean => !/^\.\.(?:\/|$)/.test(path.posix.relative(folder, file));
  if (folders.some(isInside)) return;
  const shown = folders.map((folder) => path.relative("", folder) || ".").join(" and ");
  throw new WrongUse(
    `${name} is outside of the folder ${shown}, below which files are read; --root DIR names another`,
  );
}

/** The output of git; empty where it fails. */
function git(args: string[], input = ""): Buffer {
  try {
    return execFileSync("git", args, { input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: Infinity });
  } catch {
    return Buffer.alloc(0);
  }
}

/** The working folder from the repository's root, with a slash at its end; empty at the root or without a repository. */
export const folderInRepository = (): string => String(git(["rev-parse", "--show-prefix"])).trim();

/** The project in a given revision; its files are paths from the repository's root. */
function inRevision(revision: string, folders: readonly string[]): Tree {
  const known = new Map<string, string | undefined>();
  /** Reads files in one run of git. */
  const learn = (files: readonly string[]): void => {
    const unread = files.filter((file) => !known.has(file));
    const names = unread.map((file) => `${revision}:${file}\n`).join("");
    let rest = git(["cat-file", "--batch"], names);
    for (const file of unread) {
      const start = rest.indexOf("\n") + 1;
      const size = / blob (\d+)\n$/.exec(rest.toString("utf8", 0, start))?.[1];
      const end = start + Number(size ?? 0);
      known.set(file, size && rest.toString("utf8", start, end));
      rest = rest.subarray(size === undefined ? start : end + 1);
    }
  };
  return {
    read: (file, next = []) => {
      requireInside(`${revision}:${file}`, file, folders);
      if (!known.has(file)) learn([file, ...next]);
      return known.get(file);
    },
    list: (folder) => {
      const names = String(git(["ls-tree", "--name-only", `${revision}:${folder}`]));
      return names.split("\n").filter((name) => name !== "");
    },
    shown: (file) => `${revision}:${file}`,
  };
}

const onTheWeb: Tree = { read: () => undefined, list: () => [], shown: (address) => address };

const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

/**
 * Reads one side of a comparison, with every file that it references.
 * @param location a JSON or YAML file, an http or https address, `revision:path`, or a bare revision, which means its
 *   generated/openapi.json
 * @param reach what it may lead to: by default the files of its own folder, and no address
 * @throws WrongUse when it is none of these, or not an OpenAPI document
 */
export async function readSource(location: string, reach: Reach = {}): Promise<Source> {
  const { tree, file } = locate(location, reach);
  const name = location === standardInput ? tree.shown(file) : location;
  /** The name of the file in a reference; the empty name is the document itself. */
  const resolve = (reference: string, from: string): string => {
    const base = from || file;
    const found =
      isAddress(reference) || isAddress(base)
        ? (URL.parse(reference, isAddress(base) ? base : undefined)?.href ?? reference)
        : path.posix.join(path.posix.dirname(base), decoded(reference));
    return found === file ? "" : found;
  };
  const texts = new Map<string, YamlFile>();
  const files = new Map<string, DocumentFile>();
  /** What is to be read, and what is found on the way, each with what is wrong when it is missing. */
  const wanted = new Map([["", `${name} cannot be read: there is no such file`]]);
  for (const [key, why] of wanted) {
    const next = [...wanted.keys()].filter((address) => address !== "" && !isAddress(address));
    const content = await textOf(tree, key || file, reach, key === "" ? undefined : next);
    if (content === undefined) throw new WrongUse(why);
    const text = parsed(tree.shown(key || file), content);
    texts.set(key, text);
    files.set(key, fileOf(text.value));
    for (const reference of filesReferredTo(files.get(key)!)) {
      const found = resolve(reference, key);
      if (isAddress(found) && !reach.fetch)
        throw new WrongUse(
          `${text.name} refers to ${found}, an address that was not given; --fetch allows to fetch it`,
        );
      const missing = `${text.name} refers to the file ${reference}, which cannot be read`;
      if (!texts.has(found)) wanted.set(found, missing);
    }
  }
  const document = new Document(name, texts.get("")!.value, files, resolve);
  return { name, document, tree, file, texts, project: file === standardInput ? file : projectOf(file) };
}

/** The folder of the project that a document belongs to. */
function projectOf(file: string): string {
  const folder = path.posix.dirname(file);
  return path.posix.basename(folder) === "generated" ? path.posix.dirname(folder) : folder;
}

/** Whether a file next to one document is to be expected next to another: it has the same place in its project. */
export const areInPlace = (one: Source, other: Source): boolean => placeOf(one) === placeOf(other);

const placeOf = ({ project, file }: Source): string =>
  isAddress(file) ? file : path.posix.relative(project, file);

/** A file of a tree; undefined when there is none. @throws WrongUse when it is neither JSON nor YAML */
export function parsedIn(tree: Tree, file: string): YamlFile | undefined {
  const content = tree.read(file);
  return content === undefined ? undefined : parsed(tree.shown(file), content);
}

/**
 * The text of a file; undefined when there is none.
 * @param next what is read after a file that a document refers to; undefined for the document itself, wherever it is
 * @throws WrongUse naming the file or address that cannot be read
 */
async function textOf(
  tree: Tree,
  file: string,
  reach: Reach,
  next?: readonly string[],
): Promise<string | undefined> {
  try {
    if (isAddress(file)) return await fetched(file, reach);
    if (next !== undefined || !tree.isOnDisk) return tree.read(file, next);
    if (file === standardInput) return await streamText(tree.shown(file), process.stdin, mostBytes);
    return await givenText(file, mostBytes);
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    const { message, cause } = error as Error;
    const why = (cause instanceof Error && cause.message) || message;
    const what = isAddress(file) ? `${file} cannot be fetched` : `${tree.shown(file)} cannot be read`;
    throw new WrongUse(`${what}: ${why}`, { cause: error });
  }
}

/** @throws WrongUse where it redirects and nothing allows to go on, or answers with an error */
async function fetched(address: string, { fetch: mayFollow = false }: Reach): Promise<string> {
  const signal = AbortSignal.timeout(fetchTimeoutSeconds * 1000);
  const answer = await fetch(address, { signal, redirect: mayFollow ? "follow" : "manual" });
  const location = answer.headers.get("location");
  if (!mayFollow && location !== null)
    throw new Error(
      `it redirects to ${URL.parse(location, address)?.href ?? location}; name that, or allow it with --fetch`,
    );
  if (!answer.ok) throw new Error(`it was answered with status ${answer.status}`);
  return streamText(address, answer.body ?? new ReadableStream(), mostBytes);
}

/** The other files that a document references, by the names it uses. */
function filesReferredTo({ value, objects }: DocumentFile): string[] {
  const names = new Set<string>();
  const ids = new Set(["", selfOf(value) ?? ""]);
  for (const { $ref, $id } of objects.keys()) {
    if (typeof $id === "string") ids.add($id);
    if (typeof $ref === "string") names.add($ref.split("#")[0]!);
  }
  return [...names].filter((name) => !ids.has(name));
}

function locate(name: string, { root, beside }: Reach): { tree: Tree; file: string } {
  if (name === standardInput) return { tree: onDisk([root ?? "."]), file: name };
  if (name === "" || name.startsWith("-"))
    throw new WrongUse(`${name || "An empty name"} is neither a file nor a git revision`);
  if (isAddress(name)) {
    const address = URL.parse(name);
    if (address === null) throw new WrongUse(`${name} is not a valid address`);
    return { tree: onTheWeb, file: address.href };
  }
  if (existsSync(name)) {
    const file = path.posix.join(name, statSync(name).isDirectory() ? usualFile : "");
    if (existsSync(file)) return { tree: onDisk([root ?? projectOf(file)].concat(beside ?? [])), file };
    throw new WrongUse(`${name} is a folder without ${usualFile}; name a JSON or YAML file`);
  }
  const [revision = "", written = usualFile] = name.split(/:(.*)/s);
  const file = /^\.\.?\//.test(written) ? path.posix.join(folderInRepository(), written) : written;
  if (git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`]).length === 0) {
    const advice = `name a file, an address, or a revision such as main:${usualFile}`;
    const named = revision || "nothing";
    throw new WrongUse(`${name} is not a file, and ${named} is not a git revision here; ${advice}`);
  }
  const inside =
    root === undefined
      ? projectOf(file)
      : path.posix.join(folderInRepository(), path.relative("", root) || ".");
  const tree = inRevision(revision, [inside].concat(beside ?? []));
  if (tree.read(file) === undefined) throw new WrongUse(`the git revision ${revision} has no file ${file}`);
  return { tree, file };
}
