import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { certify } from "../certify.ts";
import { commandRun } from "../command.ts";
import { scenariosOf } from "../scenarios.ts";
import { openStage, type Stage } from "../stage.ts";

/** The packages of `send.mjs`. */
const packages =
  "axios axios-retry fetch-retry got ky needle node-fetch openai p-retry superagent undici".split(" ");

/** Libraries, and what measures one of them: null where it is not installed. */
export interface Measuring {
  libraries: readonly Library[];
  measure(library: Library): Promise<Measured | null>;
  close(): Promise<void>;
}

/** Prepares the libraries, a server of troubles and one that certifies clients. @param folder an empty one */
export async function openMeasuring(folder: string): Promise<Measuring> {
  const libraries = await prepared(folder);
  const server = await openTroubles();
  const stage = await openStage(await mkdtemp(join(folder, "server-")));
  return {
    libraries,
    measure: (library) => measured(library, { server, stage, folder }),
    async close() {
      await stage.close();
      await server.close();
    },
  };
}

/**
 * Installs the packages for Node, and compiles the programs in Go and Java where their compilers are there.
 * @returns the libraries that can be run
 */
async function prepared(folder: string): Promise<Library[]> {
  const here = new URL(".", import.meta.url).pathname;
  const run = (program: string, words: readonly string[], env = {}): Promise<unknown> =>
    promisify(execFile)(program, words, { cwd: folder, env: { ...process.env, ...env } });
  const isThere = (program: string): boolean => spawnSync(program, ["version"]).error === undefined;
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--legacy-peer-deps", "--no-audit", "--no-fund", ...packages]);
  if (isThere("javac")) await run("javac", ["-cp", "/usr/share/java/*", "-d", folder, `${here}Send.java`]);
  const go = { GO111MODULE: "off", GOPATH: "/usr/share/gocode" };
  if (isThere("go")) await run("go", ["build", "-o", join(folder, "send"), `${here}send.go`], go);
  return librariesIn(here, folder);
}

/** What a server does to the first POSTs of a library. */
export const troubles = {
  lost: "a new connection closes",
  kept: "a used connection closes",
  cut: "a response is cut",
  s503: "503",
  s408: "408",
  s429: "429",
} as const;
export type Trouble = keyof typeof troubles;

/** One library with its settings, and how it is run: with its name, a base URL and a trouble, or `version`. */
export interface Library {
  language: string;
  name: string;
  command: readonly string[];
}

const of = (language: string, command: readonly string[], ...names: string[]): Library[] =>
  names.map((name) => ({ language, name, command }));

/** The libraries of the table. @param built the folder with the programs that were compiled */
const librariesIn = (here: string, built: string): Library[] => [
  ...of(
    "JavaScript",
    ["node", `${here}send.mjs`],
    "fetch",
    "node:http, keepAlive",
    "axios",
    "axios-retry",
    "axios-retry, retryCondition: isRetryableError",
    "got",
    "got, retry.methods with POST",
    "ky",
    "superagent",
    "superagent, .retry(2)",
    "node-fetch",
    "undici, RetryAgent",
    "needle",
    "fetch-retry",
    "p-retry around fetch",
    "openai",
  ),
  ...of(
    "Python",
    ["/usr/bin/python3", `${here}send.py`],
    "urllib.request",
    "requests",
    "requests, max_retries=Retry(2)",
    "requests, Retry(allowed_methods=None, status_forcelist=[503])",
    "urllib3",
    "urllib3, Retry(allowed_methods=None)",
    "httpx",
    "httpx, HTTPTransport(retries=2)",
    "aiohttp",
    "tenacity around requests",
  ),
  ...of("Go", [`${built}/send`], "net/http", "net/http, Idempotency-Key", "go-retryablehttp"),
  ...of(
    "Java",
    ["java", "-cp", `${built}:/usr/share/java/*`, "Send"],
    "HttpURLConnection",
    "java.net.http.HttpClient",
    "Apache HttpClient",
  ),
  ...of(
    "PHP",
    ["php", "-d", "include_path=/usr/share/php", `${here}send.php`],
    "ext-curl",
    "file_get_contents",
    "guzzle",
    "guzzle, Middleware::retry",
  ),
  ...of("Ruby", ["ruby", `${here}send.rb`], "net/http", "faraday", "excon", "excon, idempotent: true"),
  ...of("Perl", ["perl", `${here}send.pl`], "LWP::UserAgent, keep_alive"),
  ...of(
    "Shell",
    ["sh", `${here}send.sh`],
    "curl",
    "curl --retry 2",
    "curl --retry 2 --retry-all-errors",
    "wget",
    "wget --tries=1",
  ),
];

/** How long a library may take for one trouble, in ms: one that waits longer is ended, and what it sent by then counts. */
const patienceMs = 15_000;

/** The POSTs that a library sent in each trouble, and what `certify` finds in a client that sends its Calls by it. */
export interface Measured extends Library {
  version: string;
  sent: Record<Trouble, number>;
  certified: { fails: string[]; warns: string[] };
}

/** What a library does twice in one of these scenarios of `certify`, its client pays twice. */
const paidScenarios = {
  "lost@1": "kept",
  "cut@1": "cut",
  "error-503@1": "s503",
  "timeout-408@1": "s408",
} as const satisfies Record<string, Trouble>;

/** Further scenarios, in which a right client does nothing wrong. */
const others = ["late@1", "limited@1", "unknown-members@1"];
const scenarios = scenariosOf({ patient: false }).filter(
  ({ id }) => id in paidScenarios || others.includes(id),
);

/** The scenarios in which a client pays twice because its library sends again. */
export const paidTwice = ({ sent }: Pick<Measured, "sent">): string[] =>
  Object.entries(paidScenarios).flatMap(([id, trouble]) => (sent[trouble] > 1 ? id : []));

/** Lets `certify` judge `client.mjs`, a right client whose Calls a library sends. */
async function certified(
  { command, name }: Library,
  stage: Stage,
  folder: string,
): Promise<Measured["certified"]> {
  const client = new URL("client.mjs", import.meta.url).pathname;
  const run = commandRun(["env", `NODE_LIBRARIES=${folder}`, process.execPath, client, ...command, name], {
    envUrl: "BASE_URL",
    envKey: "API_KEY",
  });
  const { problems, idle, judged } = await certify({ stage, run, scenarios, parallel: 3 });
  if (idle !== null) throw new Error(`${name}: ${idle}`);
  const wrong = (verdict: string): string[] =>
    judged.filter((scenario) => scenario.verdict === verdict).map(({ scenario }) => scenario.id);
  const usual = problems.map(({ fault, clause }) => `baseline: ${fault} ${clause}`);
  return { fails: [...usual, ...wrong("fail")], warns: wrong("warn") };
}

/** A server that answers each POST with the trouble in its path, and counts them. */
interface TroubleServer {
  base: string;
  count(path: string): number;
  close(): Promise<void>;
}

async function openTroubles(): Promise<TroubleServer> {
  const counts = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? "";
    const trouble = path.split("/").at(-1) as Trouble | "warm";
    request.resume().on("end", () => {
      if (trouble === "warm") return response.end("{}");
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (trouble === "lost" || trouble === "kept") return response.destroy();
      if (trouble === "cut") {
        response.writeHead(200, { "content-type": "application/json", "content-length": 40 });
        return response.write('{"half":', () => response.destroy());
      }
      response.writeHead(Number(troubles[trouble]), {
        "content-type": "application/json",
        "retry-after": "1",
      });
      return response.end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => counts.get(path) ?? 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lets a library meet each trouble and its client be certified; null where it is not installed. */
async function measured(
  library: Library,
  { server: { base, count }, stage, folder }: { server: TroubleServer; stage: Stage; folder: string },
): Promise<Measured | null> {
  const version = await output(library, [library.name, base, "version"], folder);
  if (version === null) return null;
  const path = `/${encodeURIComponent(library.language + library.name).replaceAll("%", "")}`;
  const names = Object.keys(troubles) as Trouble[];
  const sent = await Promise.all(
    names.map(async (trouble) => {
      await output(library, [library.name, base + path, trouble], folder);
      return [trouble, count(`${path}/${trouble}`)] as const;
    }),
  );
  return {
    ...library,
    version: version.trim(),
    sent: Object.fromEntries(sent) as Record<Trouble, number>,
    certified: await certified(library, stage, folder),
  };
}

/** What a program printed; null when it could not be run to its end. */
const output = (
  { command: [program = "", ...words] }: Library,
  args: readonly string[],
  folder: string,
): Promise<string | null> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_LIBRARIES: folder, no_proxy: "127.0.0.1" };
    execFile(program, [...words, ...args], { env, timeout: patienceMs }, (error, said) =>
      resolve(error === null ? said : null),
    );
  });

/** The cells of a row of the table that do not depend on a version. */
export const cellsOf = ({ language, name, sent, certified: { fails } }: Measured): string[] => [
  language,
  `\`${name}\``,
  ...(Object.keys(troubles) as Trouble[]).map((trouble) => (sent[trouble] > 1 ? "**again**" : "once")),
  fails.length > 0 ? "**pays twice**" : "right",
];

/** The table as Markdown. */
export function tableOf(all: readonly Measured[]): string {
  const head = ["language", "library, settings", ...Object.values(troubles), "its client", "version"];
  const lines = all.map((library) => [...cellsOf(library), library.version]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
