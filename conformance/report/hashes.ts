import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { canonical } from "../../base/data.ts";
import { contractFile } from "../../base/pinned.ts";
import type { Profile } from "../server/profile.ts";

/**
 * What a verdict depends on, each as lower-case SHA-256, so that readers of two reports can see whether the judge was
 * the same.
 */
export interface Hashes {
  /** Hash of the judge's own files, see `suiteHash`. */
  suite: string;
  /** Hash of the contract's text, as `sha256sum` prints it. */
  contract: string;
  /** Hash of what the profile says about the server, see `profileHash`. */
  profile: string;
}

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");

const home = new URL("../", import.meta.url);

/** Not part of the judge: its proof, the demo, its tests. */
const outsideTheJudge = /^(proof|changes|demo|run\/demo)\/|(^|[./])mutants\.|\.(test|fixture)\.|\.d\.ts$/;

/** Where the build stores the hash of the sources that it compiled, so that a package has the hash of its clone. */
const stored = new URL("suite-hash.json", import.meta.url);

/**
 * Hashes the judge's files, sorted by path: each contributes its path, a zero byte, its content and a zero byte. In the
 * package it is the hash of the sources.
 */
export function suiteHash(): string {
  if (existsSync(stored)) return JSON.parse(readFileSync(stored, "utf8")) as string;
  const files = globSync("**/*.{ts,js}", { cwd: home, exclude: ["dist"] })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => !outsideTheJudge.test(file))
    .sort();
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(new URL(file, home)))
      .update("\0");
  return hash.digest("hex");
}

const suite = suiteHash();
const contract = sha256(readFileSync(contractFile()));

/**
 * The hash of a profile without its address, which the report names anyway, and without its secrets: each credential
 * counts only as present, the pool by its number of keys. Computed over JSON with sorted names.
 */
export function profileHash({ base_url: _address, credentials, ...rest }: Profile): string {
  const given = Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, Array.isArray(value) ? value.length : true]),
  );
  return sha256(canonical({ ...rest, credentials: given }));
}

export const hashesOf = (profile: Profile): Hashes => ({ suite, contract, profile: profileHash(profile) });
