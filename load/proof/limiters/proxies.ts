import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Gate, Started } from "./gate.ts";

/** Starts a proxy with a configuration, in the foreground. @param command gives its arguments from the file's path */
async function startProxy(
  gate: Gate,
  program: string,
  configure: (gate: Gate & { port: number; folder: string }) => string,
  argumentsFor: (file: string, folder: string) => string[],
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-limiter-"));
  const port = await freePort();
  const file = join(folder, "proxy.cfg");
  await writeFile(file, `${configure({ ...gate, port, folder })}\n`);
  const child = spawn(program, argumentsFor(file, folder), { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await listening(port);
  return {
    port,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
const originOf = (upstream: string): string => new URL(upstream).host;
const perMinute = ({ quota, windowSeconds }: Gate): number => (60 * quota) / windowSeconds;

/** nginx `limit_req`: an even rate, with a burst that is admitted immediately or delayed. */
export const nginx = (
  gate: Gate,
  {
    burst,
    delay = false,
    status,
    retryAfter,
  }: { burst?: number; delay?: boolean; status?: number; retryAfter?: number },
): Promise<Started> =>
  startProxy(
    gate,
    "nginx",
    ({ accounts, limited, refusal, upstream, port, folder }) => `
user root;
worker_processes 1;
pid ${folder}/pid;
error_log /dev/null;
events { worker_connections 1024; }
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((of) => `${of}_temp_path ${folder}/${of};`).join(" ")}
  map $http_authorization $account {
    default $http_authorization;
    ${Object.entries(accounts)
      .map(([key, account]) => `"~*^bearer ${key}$" ${account};`)
      .join("\n    ")}
  }
  map $uri $bucket {
    default "";
    ${limited.map((path) => `/api/v1${path} "$account$uri";`).join("\n    ")}
  }
  limit_req_zone $bucket zone=limits:1m rate=${perMinute(gate)}r/m;
  upstream reference { server ${originOf(upstream)}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 100000;
    location / {
      limit_req zone=limits${burst === undefined ? "" : ` burst=${burst}`}${burst === undefined || delay ? "" : " nodelay"};
      ${status === undefined ? "" : `limit_req_status ${status};`}
      ${retryAfter === undefined ? "" : `error_page ${status} @refused;`}
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      ${["Limit", "Remaining", "Reset"].map((of) => `proxy_hide_header X-RateLimit-${of};`).join(" ")}
      proxy_pass http://reference;
    }
    location @refused {
      default_type application/json;
      ${Object.entries({ ...refusal.headers, "Retry-After": retryAfter })
        .filter(([name]) => name.toLowerCase() !== "content-type")
        .map(([name, value]) => `add_header ${name} ${value} always;`)
        .join(" ")}
      return ${status ?? 503} ${quoted(refusal.body)};
    }
  }
}`,
    (file, folder) => ["-p", folder, "-c", file, "-g", "daemon off;"],
  );

/** HAProxy's stick tables: the rate of all requests, or of the admitted ones. */
export const haproxy = (gate: Gate, { counts }: { counts: "all" | "admitted" }): Promise<Started> =>
  startProxy(
    gate,
    "haproxy",
    ({ accounts, limited, refusal, upstream, port, quota, windowSeconds }) => {
      const rate = counts === "all" ? "http_req_rate" : "gpc0_rate";
      const headers = Object.entries({ ...refusal.headers, "Retry-After": windowSeconds })
        .filter(([name]) => name.toLowerCase() !== "content-type")
        .map(([name, value]) => `hdr ${name} ${value}`)
        .join(" ");
      return `
global
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend limits
  bind 127.0.0.1:${port}
  stick-table type string len 200 size 10k expire 5m store ${rate}(${windowSeconds}s)
  http-request set-var(txn.account) req.hdr(authorization),word(2,' ')
  ${Object.entries(accounts)
    .map(
      ([key, account]) =>
        `http-request set-var(txn.account) str(${account}) if { var(txn.account) -m str ${key} }`,
    )
    .join("\n  ")}
  http-request set-var(txn.path) path
  acl limited path ${limited.map((path) => `/api/v1${path}`).join(" ")}
  http-request track-sc0 var(txn.account),concat(,txn.path) if limited
  http-request return status 429 content-type application/json string ${quoted(refusal.body)} ${headers} if limited { sc_${rate}(0) ${counts === "all" ? "gt" : "ge"} ${quota} }
  ${counts === "all" ? "" : "http-request sc-inc-gpc0(0) if limited"}
  http-response del-header X-RateLimit- -m beg
  default_backend reference
backend reference
  server one ${originOf(upstream)}`;
    },
    (file) => ["-q", "-db", "-f", file],
  );

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until a port accepts connections. @throws Error after ten seconds */
async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(socket.end() !== undefined));
      socket.once("error", () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens at port ${port}`);
}
