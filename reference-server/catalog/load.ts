import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { YamlError, type YamlFile, type YamlPath } from "../../base/yaml/file.ts";
import { createCatalog } from "./catalog.ts";
import { contractHash } from "./contract-hash.ts";
import { readCatalogFile } from "./shape.ts";
import type { WrittenCapability, WrittenFile, WrittenParam, WrittenText, WrittenTool } from "./shape.ts";
import { checkCapability, checkTool } from "./soundness.ts";
import type { Problem } from "./soundness.ts";
import type { Capability, Catalog, Localized, Param, Tool } from "./tool.ts";

/** The catalogue that is shipped with the server. */
export const sampleFolder = fileURLToPath(new URL("sample/", import.meta.url));

const notAvailable = "Not available";
const defaultTimeoutMs = 10_000;

/** A catalogue that cannot be served. `problems` holds each reason as `file:line: reason`. */
export class CatalogError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The catalogue cannot be used:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "CatalogError";
    this.problems = problems;
  }
}

const bothLanguages = (text: WrittenText): Localized =>
  typeof text === "string" ? { en: text, zh: text } : text;

const toParam = ({ required = false, description, ...rest }: WrittenParam): Param => ({
  ...rest,
  required,
  description: bothLanguages(description).en,
});

const withoutVersion = (toolId: string): string => toolId.replace(/\.v\d+$/, "");

function toTool(written: WrittenTool, provider: string, settings: Settings): Tool {
  const {
    provider: _provider,
    name,
    description,
    params,
    billing_rule: rule,
    upstream,
    routing,
    ...rest
  } = written;
  const headers = Object.entries(upstream.headers ?? {}).map(([name, value]) => [
    name,
    filled(value, settings.env),
  ]);
  return {
    ...rest,
    name: bothLanguages(name),
    description: bothLanguages(description),
    provider_name: provider,
    params: params.map(toParam),
    param_descriptions_zh: Object.fromEntries(
      params.map((param) => [param.name, bothLanguages(param.description).zh]),
    ),
    ...(rule === undefined ? {} : { billing_rule: { ...rule, unit: rule.unit ?? "request" } }),
    output_summary: written.output_summary ?? notAvailable,
    freshness: written.freshness ?? notAvailable,
    verification: written.verification ?? notAvailable,
    availability: written.availability ?? "available",
    routing: {
      capability: withoutVersion(written.tool_id),
      reliability: "C",
      as_of_support: false,
      ...routing,
    },
    upstream: {
      method: upstream.method ?? "GET",
      url: upstream.url.replace(/^\{sample_provider\}/, settings.providerBaseUrl),
      timeout_ms: upstream.timeout_ms ?? defaultTimeoutMs,
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    },
    mapping: written.mapping ?? {},
  };
}

function toCapability(written: WrittenCapability): Capability {
  const capability = { ...written, params: written.params.map(toParam) };
  if (capability.contract_version === undefined) return capability;
  return { ...capability, schema_hash: contractHash(capability) };
}

const variables = /\$\{(\w+)\}/g;
const filled = (text: string, env: Environment): string =>
  text.replaceAll(variables, (_, name: string) => env[name] ?? "");

function* missingVariables(written: WrittenTool, env: Environment): Iterable<Problem> {
  for (const [header, value] of Object.entries(written.upstream.headers ?? {})) {
    for (const [, name = ""] of value.matchAll(variables)) {
      if (env[name] !== undefined) continue;
      const reason = `header "${header}" needs the environment variable ${name}, which is not set`;
      yield { path: ["upstream", "headers", header], reason };
    }
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The values inserted into a catalogue when it is read. */
interface Settings {
  /** The sample provider's origin, for `{sample_provider}` at the start of an upstream url. */
  providerBaseUrl: string;
  /** Values for `${NAME}` in upstream headers, which keep credentials out of files. */
  env: Environment;
}

/** Whether a tool of a catalogue's folder is executed by the sample provider. @throws CatalogError */
export const usesSampleProvider = (folder: string): boolean =>
  yamlFiles(folder).some((name) => readFileSync(join(folder, name), "utf8").includes("{sample_provider}"));

function yamlFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CatalogError([`${folder}: cannot be read as a folder of YAML files: ${detail}`]);
  }
}

/** The position of an entry. */
interface Place {
  file: YamlFile;
  base: YamlPath;
}

const at = ({ file, base }: Place, path: YamlPath): string =>
  `${file.name}:${file.lineOf([...base, ...path])}`;

/** Reads the files of one folder and collects problems. */
class Reading {
  readonly problems: string[] = [];
  readonly tools = new Map<string, Tool>();
  readonly capabilities: { capability: Capability; place: Place }[] = [];
  /** The ids of all tools in any file, valid or not, with their positions. */
  readonly listed = new Map<string, string>();
  readonly settings: Settings;
  constructor(settings: Settings) {
    this.settings = settings;
  }

  note(place: Place, found: Iterable<Problem>): void {
    for (const { path, reason } of found) this.problems.push(`${at(place, path)}: ${reason}`);
  }

  file(file: YamlFile & { readonly value: WrittenFile }): void {
    const { provider, tools = [], capabilities = [] } = file.value;
    for (const [position, written] of tools.entries())
      this.tool(written, provider, { file, base: ["tools", position] });
    for (const [position, written] of capabilities.entries()) {
      const place = { file, base: ["capabilities", position] };
      this.capabilities.push({ capability: toCapability(written), place });
    }
  }

  tool(written: WrittenTool, fileProvider: string | undefined, place: Place): void {
    const here = at(place, ["tool_id"]);
    const other = this.listed.get(written.tool_id);
    if (other !== undefined)
      this.problems.push(`${here}: tool "${written.tool_id}" is there already, at ${other}`);
    else this.listed.set(written.tool_id, here);
    const provider = written.provider ?? fileProvider;
    if (provider === undefined) {
      const reason = `the tool lacks "provider", and so does its file: name it, with a category in parentheses`;
      this.note(place, [{ path: ["tool_id"], reason }]);
    }
    this.note(place, missingVariables(written, this.settings.env));
    const tool = toTool(written, provider ?? notAvailable, this.settings);
    this.note(place, checkTool(tool));
    if (other === undefined) this.tools.set(tool.tool_id, tool);
  }

  finish(): Catalog {
    const seen = new Map<string, string>();
    const names = new Set(this.listed.keys());
    for (const { capability, place } of this.capabilities) {
      const version = capability.contract_version;
      const key = `${capability.capability_id} ${version ?? "legacy"}`;
      const here = at(place, ["capability_id"]);
      const other = seen.get(key);
      if (other === undefined) seen.set(key, here);
      else {
        const which = version === undefined ? "" : `version ${version} of `;
        this.problems.push(
          `${here}: ${which}capability "${capability.capability_id}" is there already, at ${other}`,
        );
      }
      this.note(
        place,
        checkCapability(capability, (toolId) => this.tools.get(toolId), names),
      );
    }
    if (this.problems.length > 0) throw new CatalogError(this.problems);
    return createCatalog(
      [...this.tools.values()],
      this.capabilities.map(({ capability }) => capability),
    );
  }
}

/** @throws CatalogError with every format problem of every file */
function readFiles(folder: string): ReturnType<typeof readCatalogFile>[] {
  const names = yamlFiles(folder);
  if (names.length === 0) throw new CatalogError([`${folder}: holds no *.yaml file`]);
  const problems: string[] = [];
  const files = names.flatMap((name) => {
    try {
      return [readCatalogFile(name, readFileSync(join(folder, name), "utf8"))];
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new CatalogError(problems);
  return files;
}

let sample: ReturnType<typeof readFiles> | undefined;

/**
 * Reads every `*.yaml` of a folder into one catalogue. The sample's files are read once: a proof starts hundreds of
 * servers on it.
 * @throws CatalogError with every problem of every file
 */
export function loadCatalog(
  folder: string,
  settings: { providerBaseUrl: string; env?: Environment },
): Catalog {
  const files = folder === sampleFolder ? (sample ??= readFiles(folder)) : readFiles(folder);
  const reading = new Reading({ env: {}, ...settings });
  for (const file of files) reading.file(file);
  if (reading.listed.size === 0 && reading.problems.length === 0) {
    throw new CatalogError([`${folder}: its files hold no tool`]);
  }
  return reading.finish();
}
