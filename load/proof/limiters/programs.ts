import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../base/free-port.ts";
import type { Gate, Place, Started } from "./gate.ts";
import { apache, haproxy, nginx, varnish } from "./proxies.ts";

/**
 * A program that limits. It runs in front of the server itself, or, where it has a language of its own, server.js asks
 * it about each request: it gets `GET /` with the header `X-Bucket`, and answers 2xx or refuses.
 */
interface Program {
  /** Debian's packages, as apt-get takes them. */
  packages: string;
  /** Files of those packages: all must exist. */
  files: readonly string[];
  /** Runs it in the foreground, at the place's port. */
  command: (at: Place) => readonly [string, ...string[]];
  /** Writes its configuration, which `command` names as the place's file. */
  configure?: (at: Place) => string;
  isAsked?: true;
}

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const node: Program = {
  packages: "nodejs",
  files: [],
  command: () => [process.execPath, source("server.js")],
};

/** By the word that a row starts with; any other word is a limiter of limiters.js, which `node` runs. */
const programs: Readonly<Record<string, Program>> = {
  nginx: {
    packages: "nginx",
    files: ["/usr/sbin/nginx"],
    configure: nginx,
    command: ({ file, folder }) => ["/usr/sbin/nginx", "-p", folder, "-c", file, "-g", "daemon off;"],
  },
  haproxy: {
    packages: "haproxy",
    files: ["/usr/sbin/haproxy"],
    configure: haproxy,
    command: ({ file }) => ["/usr/sbin/haproxy", "-q", "-db", "-f", file],
  },
  apache: {
    packages: "apache2 libapache2-mod-qos libpcre3",
    files: ["/usr/sbin/apache2", "/usr/lib/apache2/modules/mod_qos.so"],
    configure: apache,
    // Debian's mod_qos uses this library, and does not name it.
    command: ({ file }) => [
      "/usr/bin/env",
      "LD_PRELOAD=libpcre.so.3",
      "/usr/sbin/apache2",
      "-DFOREGROUND",
      "-f",
      file,
    ],
  },
  varnish: {
    packages: "varnish varnish-modules",
    files: ["/usr/sbin/varnishd", "/usr/share/doc/varnish-modules"],
    configure: varnish,
    command: ({ file, folder, port }) => [
      "/usr/sbin/varnishd",
      "-F",
      "-j",
      "none",
      "-n",
      folder,
      "-f",
      file,
      "-a",
      `127.0.0.1:${port}`,
    ],
  },
  "flask-limiter": {
    packages: "python3-flask-limiter python3-redis",
    files: ["/usr/lib/python3/dist-packages/flask_limiter", "/usr/lib/python3/dist-packages/redis"],
    command: () => ["/usr/bin/python3", source("asked/flask_limiter_app.py")],
    isAsked: true,
  },
  "django-rest-framework": {
    packages: "python3-djangorestframework",
    files: ["/usr/lib/python3/dist-packages/rest_framework"],
    command: () => ["/usr/bin/python3", source("asked/django_throttle.py")],
    isAsked: true,
  },
  "rack-attack": {
    packages: "ruby-rack-attack ruby-redis puma",
    files: ["/usr/bin/puma", "/usr/share/doc/ruby-rack-attack", "/usr/share/doc/ruby-redis"],
    command: ({ port }) => [
      "/usr/bin/puma",
      "--quiet",
      "--bind",
      `tcp://127.0.0.1:${port}`,
      source("asked/attack.ru"),
    ],
    isAsked: true,
  },
  go: {
    packages: "golang-go golang-golang-x-time-dev golang-github-juju-ratelimit-dev",
    files: [
      "/usr/bin/go",
      "/usr/share/gocode/src/golang.org/x/time/rate",
      "/usr/share/gocode/src/github.com/juju/ratelimit",
    ],
    // `go run` does not pass a signal on.
    command: ({ folder }) => [
      "/bin/sh",
      "-c",
      'go build -o "$1" "$2" && exec "$1"',
      "sh",
      join(folder, "limiter"),
      source("asked/limiter.go"),
    ],
    isAsked: true,
  },
  symfony: {
    packages: "php-cli php-symfony-rate-limiter php-symfony-cache",
    files: [
      "/usr/bin/php",
      "/usr/share/php/Symfony/Component/RateLimiter",
      "/usr/share/php/Symfony/Component/Cache",
    ],
    command: ({ port }) => ["/usr/bin/php", "-S", `127.0.0.1:${port}`, source("asked/limiter.php")],
    isAsked: true,
  },
  tomcat: {
    packages: "default-jdk-headless libtomcat10-java",
    files: ["/usr/bin/javac", "/usr/share/java/tomcat10-catalina.jar"],
    command: () => ["/usr/bin/java", "-cp", "/usr/share/java/*", source("asked/RateLimit.java")],
    isAsked: true,
  },
  perl: {
    packages: "libplack-perl libschedule-ratelimiter-perl",
    files: ["/usr/bin/plackup", "/usr/share/perl5/Schedule/RateLimiter.pm"],
    command: ({ port }) => [
      "/usr/bin/plackup",
      "--env",
      "deployment",
      "--host",
      "127.0.0.1",
      "--port",
      `${port}`,
      source("asked/limiter.psgi"),
    ],
    isAsked: true,
  },
};

/** How the program of a row is installed, or null if it is. */
export function missing({ start: name }: { start: string }): string | null {
  const { packages, files } = programs[name] ?? node;
  return files.every((file) => existsSync(file)) ? null : `apt-get install ${packages}`;
}

/** Starts a limiter in front of the reference server. @throws Error if its program ends, or does not listen */
export async function start(gate: Gate): Promise<Started> {
  const program = programs[gate.limiter] ?? node;
  const limiter = await run(program, gate);
  if (!program.isAsked) return limiter;
  const front = await run(node, {
    ...gate,
    limiter: "asked",
    options: { ...gate.options, port: limiter.port },
  });
  return { port: front.port, stop: async () => void (await Promise.all([front.stop(), limiter.stop()])) };
}

async function run({ command, configure }: Program, gate: Gate): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-limiter-"));
  const place: Place = { ...gate, port: await freePort(), folder, file: join(folder, "config") };
  if (configure) await writeFile(place.file, `${configure(place)}\n`);
  const [program, ...words] = command(place);
  const child = spawn(program, words, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      GO111MODULE: "off",
      GOPATH: "/usr/share/gocode",
      GOFLAGS: "",
      GATE: JSON.stringify(gate),
      PORT: String(place.port),
      QUOTA: String(gate.quota),
      WINDOW_SECONDS: String(gate.windowSeconds),
      FORM: String(gate.options["form"] ?? ""),
      PREFIX: gate.prefix,
      REDIS_URL: gate.redisUrl,
    },
  });
  let said = "";
  child.stderr.on("data", (chunk) => (said = `${said}${chunk}`.slice(-2000)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await Promise.race([
    listening(place.port),
    ended.then(() => Promise.reject(new Error(`${program} ended: ${said}`))),
  ]);
  return {
    port: place.port,
    stop: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
      if (!isRunning) throw new Error(`${program} ended while it was judged: ${said}`);
    },
  };
}

/** Waits until a port accepts connections. @throws Error after a minute: a first build of Go's library takes half of it */
async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
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

// As a program: prints the packages of all, for apt-get.
if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(
    Object.values(programs)
      .map(({ packages }) => packages)
      .join(" "),
  );
