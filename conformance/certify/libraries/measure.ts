import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

/** The packages of `send.mjs`. */
const packages =
  "axios axios-retry fetch-retry got ky needle node-fetch openai p-retry superagent undici".split(" ");

/**
 * Installs the packages for Node, and compiles the programs in Go and Java where their compilers are there.
 * @returns the libraries that can be run
 */
export async function prepared(folder: string): Promise<Library[]> {
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

/** The POSTs that a library sent in each trouble. */
export interface Measured extends Library {
  version: string;
  sent: Record<Trouble, number>;
}

/** A server that answers each POST with the trouble in its path, and counts them. */
export async function openTroubles(): Promise<{
  base: string;
  count(path: string): number;
  close(): Promise<void>;
}> {
  const counts = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? "";
    const trouble = path.split("/").at(-1) as Trouble | "warm";
    request.resume().on("end", () => {
      if (trouble === "warm") return response.end("{}");
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (trouble === "lost" || trouble === "kept") return response.destroy();
      response.writeHead(Number(troubles[trouble]), {
        "content-type": "application/json",
        ...(trouble === "s429" && { "retry-after": "1" }),
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

/** Lets a library meet each trouble; null where it is not installed. @param folder as it was prepared */
export async function measured(
  library: Library,
  { base, count }: Awaited<ReturnType<typeof openTroubles>>,
  folder: string,
): Promise<Measured | null> {
  const version = await output(library, [library.name, base, "version"], folder);
  if (version === null) return null;
  const own = `/${encodeURIComponent(library.language + library.name).replaceAll("%", "")}`;
  const names = Object.keys(troubles) as Trouble[];
  const sent = await Promise.all(
    names.map(async (trouble) => {
      await output(library, [library.name, base + own, trouble], folder);
      return [trouble, count(`${own}/${trouble}`)] as const;
    }),
  );
  return { ...library, version: version.trim(), sent: Object.fromEntries(sent) as Record<Trouble, number> };
}

/** What a program printed; null when it could not be run to its end. */
const output = (
  { command: [program = "", ...words] }: Library,
  given: readonly string[],
  folder: string,
): Promise<string | null> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_LIBRARIES: folder, no_proxy: "127.0.0.1" };
    execFile(program, [...words, ...given], { env, timeout: patienceMs }, (error, said) =>
      resolve(error === null ? said : null),
    );
  });

/** The cells of a row of the table that do not depend on a version. */
export const cellsOf = ({ language, name, sent }: Measured): string[] => [
  language,
  `\`${name}\``,
  ...(Object.keys(troubles) as Trouble[]).map((trouble) => (sent[trouble] > 1 ? "**again**" : "once")),
];

/** The table as Markdown. */
export function tableOf(all: readonly Measured[]): string {
  const head = ["language", "library, settings", ...Object.values(troubles), "version"];
  const lines = all.map((one) => [...cellsOf(one), one.version]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
