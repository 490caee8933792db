import type { Profiler } from "node:inspector";

/** The CPU time of a request by part of the server, in microseconds. */
export type Shares = Record<Part, number>;

/** The parts of the server, and the folders and packages whose code counts as theirs. */
const parts = {
  validation: /express-openapi-validator|\/ajv|ajv-formats|http\/contract|nesting\.ts/,
  storage: /reference-server\/storage|sqlite3|\/knex\/|\/pg|tarn/,
  audit: /reference-server\/(audit|billing)/,
  provider: /reference-server\/providers|node:_http_client|node:_http_agent/,
  logging: /\/pino|prom-client|http\/(metrics|request-log|health)|sonic-boom/,
  HTTP: /reference-server\/(http|pages)|node_modules\/(express|router|body-parser|raw-body|finalhandler|send|qs|proxy-addr)|node:_http|server\.ts/,
  operations: /reference-server\//,
} as const;

/** `other threads`: SQLite's, and V8's; a profile sees only the main thread. `node`: what no part called. */
export const partNames = [...Object.keys(parts), "garbage", "node", "other threads"] as Part[];
export type Part = keyof typeof parts | "garbage" | "node" | "other threads";

const partOf = (url: string): Part | undefined =>
  (Object.keys(parts) as (keyof typeof parts)[]).find((name) => parts[name].test(url));

/**
 * Cuts a profile by folder: the time of a function counts for the part of its file, or, if the file belongs to no part,
 * as Node's own do, for the part that called it. A profile tells wall-clock time, in which other processes had the
 * core as well, so it is scaled to the CPU time that the main thread had.
 * @param micros CPU time of the process
 */
export function sharesOf(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  { requests, micros, mainMicros }: { requests: number; micros: number; mainMicros: number },
): Shares {
  const parts = new Map<number, Part | "idle">();
  for (const { id, callFrame, children = [] } of nodes) {
    const caller = parts.get(id);
    const own =
      caller === "idle"
        ? caller
        : (special[callFrame.functionName] ?? partOf(callFrame.url) ?? caller ?? "node");
    parts.set(id, own);
    // A parent comes before its children.
    for (const child of children) parts.set(child, own);
  }
  const sampled = Object.fromEntries(partNames.map((name) => [name, 0])) as Shares;
  let all = 0;
  samples.forEach((node, index) => {
    const part = parts.get(node)!;
    if (part === "idle") return;
    sampled[part] += timeDeltas[index]!;
    all += timeDeltas[index]!;
  });
  const scale = mainMicros / all / requests;
  return {
    ...(Object.fromEntries(partNames.map((name) => [name, sampled[name] * scale])) as Shares),
    "other threads": Math.max(0, micros - mainMicros) / requests,
  };
}

const special: Readonly<Record<string, Part | "idle">> = {
  "(idle)": "idle",
  "(program)": "node",
  "(root)": "node",
  "(garbage collector)": "garbage",
  // The profiler itself.
  "start profile": "idle",
};
