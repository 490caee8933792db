import type { Profiler } from "node:inspector";

/** The CPU time of a request by part of the server, in microseconds. */
export type Shares = Record<Part, number>;

/** The parts of the server, and the folders and packages whose code counts as theirs. */
const parts = {
  validation: /express-openapi-validator|\/ajv|ajv-formats|http\/contract|nesting\.ts/,
  storage: /reference-server\/storage|sqlite3|\/knex\/|\/pg|tarn/,
  audit: /reference-server\/(audit|billing)/,
  provider: /reference-server\/providers|\/undici\//,
  logging: /\/pino|prom-client|http\/(metrics|request-log|health)|sonic-boom/,
  HTTP: /reference-server\/(http|pages)|node_modules\/(express|router|body-parser|raw-body|finalhandler|send|qs|proxy-addr)|node:_http|server\.ts/,
  operations: /reference-server\//,
} as const;

/** `other threads`: SQLite's, and V8's; a profile sees only the main thread. `node`: what no part called. */
export const partNames = [...Object.keys(parts), "garbage", "node", "other threads"] as Part[];
export type Part = keyof typeof parts | "garbage" | "node" | "other threads";

/**
 * The shares of the server's parts. A profile tells wall-clock time, in which other processes had the core as well, so
 * it is scaled to the CPU time that the main thread had.
 * @param micros CPU time of the process
 */
export function sharesOf(
  profile: Profiler.Profile,
  { requests, micros, mainMicros }: { requests: number; micros: number; mainMicros: number },
): Shares {
  const sampled = cut(profile);
  const all = [...sampled.values()].reduce((sum, part) => sum + part, 0);
  const scale = mainMicros / all / requests;
  return {
    ...(Object.fromEntries(partNames.map((name) => [name, (sampled.get(name) ?? 0) * scale])) as Shares),
    "other threads": Math.max(0, micros - mainMicros) / requests,
  };
}

/**
 * Cuts a profile by folder: the time of a function counts for the part of its file, or, if the file belongs to no part,
 * as Node's own do, for the part that called it.
 * @returns microseconds by part, without idle time
 */
function cut({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<Part, number> {
  const partOf = (url: string): Part | undefined =>
    (Object.keys(parts) as (keyof typeof parts)[]).find((name) => parts[name].test(url));
  const owners = new Map<number, Part | "idle">();
  for (const { id, callFrame, children = [] } of nodes) {
    const caller = owners.get(id);
    const own =
      caller === "idle"
        ? caller
        : (special.get(callFrame.functionName) ?? partOf(callFrame.url) ?? caller ?? "node");
    owners.set(id, own);
    // A parent comes before its children.
    for (const child of children) owners.set(child, own);
  }
  const micros = new Map<Part, number>();
  samples.forEach((node, index) => {
    const owner = owners.get(node)!;
    if (owner !== "idle") micros.set(owner, (micros.get(owner) ?? 0) + timeDeltas[index]!);
  });
  return micros;
}

const special: ReadonlyMap<string, "garbage" | "node" | "idle"> = new Map([
  ["(idle)", "idle"],
  ["(program)", "node"],
  ["(root)", "node"],
  ["(garbage collector)", "garbage"],
  // The profiler itself.
  ["start profile", "idle"],
]);
