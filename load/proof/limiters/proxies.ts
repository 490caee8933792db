import type { Place } from "./gate.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
const hostOf = ({ upstream }: Place): string => new URL(upstream).host;
/** A refusal's headers, each as a line of a configuration. */
const headerLines = (
  headers: Readonly<Record<string, string | number>>,
  line: (name: string, value: string | number) => string,
): string[] =>
  Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== "content-type")
    .map(([name, value]) => line(name, value));

/** nginx `limit_req`: an even rate, with a burst that is admitted immediately or delayed. */
export function nginx(place: Place): string {
  const { accounts, limited, refusal, port, folder, quota, windowSeconds, options } = place;
  const { burst, delay = false, status, retryAfter } = options as NginxOptions;
  return `
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
  limit_req_zone $bucket zone=limits:1m rate=${(60 * quota) / windowSeconds}r/m;
  upstream reference { server ${hostOf(place)}; keepalive 64; }
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
      ${headerLines({ ...refusal.headers, "Retry-After": retryAfter ?? 1 }, (name, value) => `add_header ${name} ${value} always;`).join(" ")}
      return ${status ?? 503} ${quoted(refusal.body)};
    }
  }
}`;
}

/** HAProxy's stick tables: the rate of all requests, or of the admitted ones. */
export function haproxy(place: Place): string {
  const { accounts, limited, refusal, port, quota, windowSeconds, options } = place;
  const counts = options["counts"] as "all" | "admitted";
  const rate = counts === "all" ? "http_req_rate" : "gpc0_rate";
  const headers = headerLines(
    { ...refusal.headers, "Retry-After": windowSeconds },
    (name, value) => `hdr ${name} ${value}`,
  ).join(" ");
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
  server one ${hostOf(place)}`;
}

/** Apache: mod_qos, which counts events, here of a bucket each; or mod_ratelimit, which limits bytes. */
export function apache(place: Place): string {
  const { accounts, limited, refusal, port, quota, windowSeconds, options } = place;
  const module = options["module"] as "qos" | "ratelimit";
  const buckets = Object.entries(accounts).flatMap(([key, account]) =>
    limited.map((path, index) => ({ key, path, name: `${account}_${index}` })),
  );
  const isRefusal = '"expr=%{REQUEST_STATUS} == 429"';
  const means = {
    qos: [
      ...buckets.map(
        ({ key, path, name }) =>
          `SetEnvIfExpr "req('Authorization') =~ /^bearer ${key}$/i && %{REQUEST_URI} == '/api/v1${path}'" ${name}`,
      ),
      ...[...new Set(buckets.map(({ name }) => name))].map(
        (name) => `QS_EventLimitCount ${name} ${quota} ${windowSeconds}`,
      ),
      "QS_ErrorResponseCode 429",
      `ErrorDocument 429 ${quoted(refusal.body)}`,
      `Header always set Content-Type application/json ${isRefusal}`,
      ...headerLines(
        // Its windows end with a second.
        { ...refusal.headers, "Retry-After": windowSeconds + 1 },
        (name, value) => `Header always set ${name} ${value} ${isRefusal}`,
      ),
    ],
    ratelimit: ["SetOutputFilter RATE_LIMIT", "SetEnv rate-limit 400"],
  }[module];
  return `
ServerRoot ${place.folder}
ServerName localhost
PidFile pid
ErrorLog /dev/null
User www-data
Group www-data
${["mpm_event", "authz_core", "proxy", "proxy_http", "headers", "setenvif", "env", module]
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join("\n")}
Listen 127.0.0.1:${port}
ServerLimit 1
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
MaxKeepAliveRequests 0
KeepAliveTimeout 60
ProxyPass / http://${hostOf(place)}/ keepalive=On
${means.join("\n")}
${["Limit", "Remaining", "Reset"].map((of) => `Header unset X-RateLimit-${of}`).join("\n")}`;
}

/** Varnish's vsthrottle: a token bucket. Its refusals are those of its manual, or the contract's. */
export function varnish(place: Place): string {
  const { accounts, limited, refusal, upstream, quota, windowSeconds, options } = place;
  const { hostname, port } = new URL(upstream);
  const headers = headerLines(
    { ...refusal.headers, "Content-Type ": "application/json", "Retry-After": 1 },
    (name, value) => `set resp.http.${name.trim()} = "${value}";`,
  );
  return `
vcl 4.1;
import vsthrottle;
backend reference { .host = "${hostname}"; .port = "${port}"; }
sub vcl_recv {
  set req.http.X-Account = regsub(req.http.Authorization, "(?i)^bearer ", "");
  ${Object.entries(accounts)
    .map(([key, account]) => `if (req.http.X-Account == "${key}") { set req.http.X-Account = "${account}"; }`)
    .join("\n  ")}
  if (req.http.X-Account != "" && req.url ~ "^/api/v1(${limited.join("|")})(\\?|$)"
      && vsthrottle.is_denied(req.http.X-Account + regsub(req.url, "\\?.*", ""), ${quota}, ${windowSeconds}s)) {
    return (synth(429, "Too Many Requests"));
  }
  return (pass);
}
sub vcl_synth {
  ${options["form"] === "contract" ? `${headers.join(" ")} synthetic({"${refusal.body}"}); return (deliver);` : ""}
}
sub vcl_deliver {
  unset resp.http.X-RateLimit-Limit;
  unset resp.http.X-RateLimit-Remaining;
  unset resp.http.X-RateLimit-Reset;
}`;
}

interface NginxOptions {
  burst?: number;
  delay?: boolean;
  status?: number;
  retryAfter?: number;
}
