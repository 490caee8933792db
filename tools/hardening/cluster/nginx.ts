import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../../base/exit.ts";
import { freePort } from "../../../base/free-port.ts";

const deployed = new URL("../../../reference-server/deploy/nginx.conf", import.meta.url);
const ofContract = new URL("../../../generated/nginx.conf", import.meta.url);

/** Where Debian and Alpine install it; root's PATH contains the folder, a user's may not. */
const places = ["nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"];

/** The path of nginx on this machine; null if it is not installed. */
export const findNginx = (): string | null =>
  places.find((place) => spawnSync(place, ["-v"], { stdio: "ignore" }).status === 0) ?? null;

const substitute = (text: string, what: RegExp, by: string): string => {
  if (!what.test(text)) throw new Error(`reference-server/deploy/nginx.conf no longer has ${String(what)}`);
  return text.replace(what, by);
};

/**
 * reference-server/deploy/nginx.conf with the addresses replaced, and all of nginx's files in a folder of its own. It does not serve
 * full results: each server of a cluster on one machine has its own listener.
 * @param origins `http://host:port` of each server
 */
export async function clusterConfig(
  origins: readonly string[],
  port: number,
  folder: string,
): Promise<string> {
  const servers = origins.map((origin) => `    server ${new URL(origin).host} max_fails=0;`).join("\n");
  const written = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/${name};`)
    .join("\n");
  let text = await readFile(deployed, "utf8");
  text = substitute(
    text,
    /^(\s*)server server\d:8080[^;]*;\n(\s*server server\d:8080[^;]*;\n)*/m,
    `${servers}\n`,
  );
  text = substitute(text, /listen 8080;/, `listen 127.0.0.1:${port};`);
  text = substitute(text, /include contract\.conf;/g, `include ${fileURLToPath(ofContract)};`);
  text = substitute(text, /^http \{$/m, `http {\n${written}`);
  text = substitute(text, /^# Full results[^]*$/m, "");
  return `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log warn;\n${text}`;
}

/**
 * Starts nginx with the deployed configuration in front of some servers. Rejects with nginx's own message if it does
 * not start.
 * @param origins `http://host:port` of each server; they may stop and start again
 * @throws WrongUse if it is not installed
 */
export async function startNginx(
  origins: readonly string[],
): Promise<{ origin: string; close(): Promise<void> }> {
  const nginx = findNginx();
  if (nginx === null)
    throw new WrongUse("nginx is not installed: apt-get install nginx, or brew install nginx");
  const folder = await mkdtemp(join(tmpdir(), "capability-nginx-"));
  // When nginx is started by root, its workers run as another user.
  await chmod(folder, 0o755);
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  await writeFile(config, await clusterConfig(origins, port, folder));
  const child = spawn(nginx, ["-p", folder, "-c", config, "-e", join(folder, "error.log")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, "exit");
  // Otherwise nginx would outlive a process that ends with an error.
  const kill = (): void => void child.kill("SIGTERM");
  process.once("exit", kill);
  const close = async (): Promise<void> => {
    process.off("exit", kill);
    kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`nginx ended with status ${child.exitCode}: ${said}`);
      await pause(20);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { origin: `http://127.0.0.1:${port}`, close };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
