import "./pretenuring.ts";
import { WrongUse } from "../base/exit.ts";
import { verb } from "../base/verb.ts";
import { CatalogError } from "./catalog/load.ts";
import { basePath } from "../generated/contract.ts";
import type { Config } from "./config.ts";
import { baseUrl, defaultParts, type DefaultParts } from "./parts-default.ts";
import type { Parts } from "./parts.ts";
import { isPostgres } from "./storage/postgres.ts";
import { createServer, type Server } from "./server.ts";
import { configOf, settings } from "./settings.ts";
import { clockPath } from "./test-clock.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A reason why the server cannot start, as a sentence; exit status 2, since the operator can fix it. */
function startFailure(error: unknown, config: Config): string {
  if (error instanceof CatalogError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return `Port ${config.port} is in use at ${config.host}. Stop what listens there, or choose another with --port.`;
  }
  if (code === "EACCES")
    return `Port ${config.port} may not be used by this user. Choose another with --port.`;
  if (code === "EADDRNOTAVAIL")
    return `${config.host} is not an address of this machine. Choose another with --host.`;
  return message;
}

/** How a reader creates a key: from a clone, or from the installed package. */
const create = `${import.meta.filename.endsWith(".ts") ? "npm run admin --" : "npx capability-contract-server admin"} account create --name NAME --grant 100`;

/** On the first start on a machine of one's own, the first account and its key; otherwise how to create a key. */
async function introduce({ parts }: DefaultParts, config: Config, port: number): Promise<void> {
  const base = baseUrl(config.host, port);
  say(`The server listens at ${base}`);
  if (isPostgres(config.databaseUrl ?? "") || process.env["NODE_ENV"] === "production") {
    // Output of such servers is collected, with the key; and several may start together, each of which would create one.
    say(`An account and its key: ${create}`);
    return;
  }
  const accounts = await parts.database("accounts").count<{ count: number }[]>({ count: "*" });
  const isFirst = Number(accounts[0]?.count ?? 0) === 0;
  if (!isFirst) {
    say(`Its accounts are kept. Another key: ${create}`);
    return;
  }
  const account = await parts.accounts.create({ name: "first account", email: null });
  const { apiKey } = await parts.accounts.addKey(account.id, "first key");
  await parts.books.move({
    accountId: account.id,
    entryType: "grant_payment_recharge",
    amount: 1_000_000_000,
    description: "Opening credits of the first account",
  });
  say(`A first account with 1000 credits was opened. Its key, shown once: ${apiKey}`);
  say("Try it:");
  say(
    `  curl -s ${base}/search -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"query": "weather"}'`,
  );
}

/** The server of the configuration, with injected faults if a chaos seed is given. */
async function serverOf(config: Config, parts: Parts): Promise<Server> {
  if (config.chaosSeed === null) return createServer(config, parts);
  const { createUnfriendlyServer } = await import("./chaos/chaos.ts");
  const { server, faults } = createUnfriendlyServer(config, parts, config.chaosSeed);
  say(`Unfriendly by the seed ${config.chaosSeed}: its faults are listed in ${faults.file} and at /chaos.`);
  return server;
}

function stopOnSignal(server: Server, defaults: DefaultParts): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    defaults.parts.log.info({ signal }, "stopping: requests in flight are finished");
    await server.stop();
    await defaults.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
}

/**
 * Delay after the start before the certificate of full results is created, in ms, so that the first request need not
 * wait.
 */
const quietMs = 1_000;

function makeReadyLater({ parts: { log }, resultsReady }: DefaultParts): void {
  const failed = (error: unknown) => log.error({ error }, "no certificate for full results could be made");
  setTimeout(() => void resultsReady().catch(failed), quietMs).unref();
}

/** Starts the server and prints its address; it runs until a signal stops it. */
async function start(config: Config): Promise<void> {
  let defaults: DefaultParts | undefined;
  try {
    defaults = await defaultParts(config);
    defaults.parts.metrics.watchProcess();
    const server = await serverOf(config, defaults.parts);
    stopOnSignal(server, defaults);
    const port = await server.start();
    await introduce(defaults, config, port);
    const origin = baseUrl(config.host, port).slice(0, -basePath.length);
    say(`For people: the API reference at ${origin}/reference, the claim page at ${origin}/claim.`);
    say(`Mails go to ${defaults.mailDestination}.`);
    const trust = defaults.resultsCaFile === null ? "" : `; trust ${defaults.resultsCaFile}`;
    say(`Full results are served from ${defaults.resultsOrigin}${trust}.`);
    if (config.testClock) say(`The clock is read and advanced at ${origin}${clockPath}.`);
    makeReadyLater(defaults);
  } catch (error) {
    await defaults?.close();
    throw new WrongUse(startFailure(error, config), { cause: error });
  }
}

export default verb({
  flags: settings,
  about:
    "Runs the reference server until it gets SIGTERM or SIGINT. Every flag is also an environment variable; a flag wins.",
  run: (given) => start(configOf(given)),
});
