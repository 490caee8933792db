import { address, oneOf, text, valueOf, whole, wrongValue, yes, type Flag } from "../base/flag.ts";
import { WrongUse } from "../base/exit.ts";
import type { Values } from "../base/verb.ts";
import { defaultConfig, type Config, type Quotas } from "./config.ts";

const partsOf = (text: string): string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** A comma-separated list. */
const list = (spelled: string, help: string): Flag<string[] | undefined> => valueOf(spelled, help, partsOf);

const isOrigin = (text: string): boolean => text === "*" || URL.parse(text)?.origin === text;

const port = (spelled: string, help: string): Flag<number | undefined> =>
  whole(spelled, help, { least: 0, most: 65_535 });

const quota = (name: keyof Quotas, help: string): Flag<number> =>
  whole(`--quota-${name} <N>`, `requests in one window: ${help}`, { least: 0, most: 1_000_000_000 })
    .or(defaultConfig.quotas[name])
    .env(`QUOTA_${name.toUpperCase()}`);

/** Every setting as a flag and as an environment variable; the flag wins. An empty variable counts as absent. */
export const settings = {
  port: port("--port <N>", "port to listen at; 0 takes a free one").or(defaultConfig.port).env("PORT"),
  host: text("--host <ADDRESS>", "address to listen at").or(defaultConfig.host).env("HOST"),
  dataFolder: text("--data <FOLDER>", "folder of the database, keys, outbox and results")
    .or(defaultConfig.dataFolder)
    .env("DATA_FOLDER"),
  catalogFolder: text("--catalog <FOLDER>", "folder of catalogue YAML instead of the sample catalogue").env(
    "CATALOG_FOLDER",
  ),
  databaseUrl: text(
    "--database-url <URL>",
    "postgres://… for several processes, or file:PATH instead of data.sqlite in the data folder",
  ).env("DATABASE_URL"),
  redisUrl: text(
    "--redis-url <URL>",
    "redis://… to share rate limits among processes; separate a cluster's addresses by commas",
  ).env("REDIS_URL"),
  smtpUrl: text(
    "--smtp-url <URL>",
    "SMTP server for mails; without it they are written to the outbox folder",
  ).env("SMTP_URL"),
  mailFrom: text("--mail-from <ADDRESS>", "sender of mails, such as Broker <no-reply@broker.example>")
    .or(defaultConfig.mailFrom)
    .env("MAIL_FROM"),
  publicUrl: address("--public-url <URL>", "public origin of the server", "https://broker.example").env(
    "PUBLIC_URL",
  ),
  windowSeconds: whole("--window <SECONDS>", "length of a rate-limit window", { most: 86_400 })
    .or(defaultConfig.windowSeconds)
    .env("RATE_LIMIT_WINDOW"),
  windowKind: oneOf("--window-kind <KIND>", "aligned, first-request or sliding", [
    "aligned",
    "first-request",
    "sliding",
  ])
    .or(defaultConfig.windowKind)
    .env("RATE_LIMIT_WINDOW_KIND"),
  discover: quota("discover", "Discover"),
  inspect: quota("inspect", "Inspect"),
  probe: quota("probe", "Probe"),
  call: quota("call", "Call"),
  anonymous: quota("anonymous", "all operations without a credential together, for one client address"),
  trustedProxies: list(
    "--trusted-proxies <LIST>",
    "trusted sources of X-Forwarded-For: comma-separated addresses or networks",
  ).env("TRUSTED_PROXIES"),
  corsOrigins: valueOf(
    "--cors <LIST>",
    "origins, comma-separated, whose pages may call the API from a browser, or *",
    (text, name) => {
      const origins = partsOf(text);
      return origins.every(isOrigin)
        ? origins
        : wrongValue(name, "origins such as https://app.example, separated by commas, or *", text);
    },
  ).env("CORS_ORIGINS"),
  maxInFlight: whole("--max-in-flight <N>", "the most operations in progress; further requests get 503", {
    most: 1_000_000,
  })
    .or(defaultConfig.maxInFlight)
    .env("MAX_IN_FLIGHT"),
  discoverPrice: valueOf("--discover-price <CREDITS>", "price of one Discover", (text, name) =>
    /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : wrongValue(name, "credits such as 0.5", text),
  )
    .or(defaultConfig.discoverPrice)
    .env("DISCOVER_PRICE"),
  blockedEmailDomains: list(
    "--blocked-domains <LIST>",
    "e-mail domains, comma-separated, that the risk check of a claim blocks",
  ).env("BLOCKED_EMAIL_DOMAINS"),
  resultsUrl: text(
    "--results-url <URL>",
    "s3://bucket/prefix?region=…&endpoint=… for full results instead of a listener of the server's own",
  ).env("RESULTS_URL"),
  objectStoragePort: port(
    "--results-port <N>",
    "port of the HTTPS listener for full results; 0 takes a free one",
  )
    .or(defaultConfig.objectStoragePort)
    .env("RESULTS_PORT"),
  objectStorageHost: text("--results-host <NAME>", "host name in the addresses of full results").env(
    "RESULTS_HOST",
  ),
  brokenAnswers: oneOf(
    "--broken-answers <WHAT>",
    "refuse: an answer that would break the contract becomes a 500; report (the default where NODE_ENV is production): " +
      "it is sent, logged and counted",
    ["refuse", "report"],
  ).env("BROKEN_ANSWERS"),
  chaosSeed: text(
    "--chaos <SEED>",
    "injects lawful faults, for testing clients; the same seed repeats the same run",
  ).env("CHAOS_SEED"),
  testClock: yes(
    "--test-clock",
    "shows and advances the server's clock at /-/clock, for clients on this machine",
  ).env("TEST_CLOCK"),
  logLevel: oneOf("--log-level <LEVEL>", "trace, debug, info, warn, error, fatal or silent", [
    "trace",
    "debug",
    "info",
    "warn",
    "error",
    "fatal",
    "silent",
  ])
    .or("info")
    .env("LOG_LEVEL"),
} satisfies Partial<Record<keyof Config | keyof Quotas, Flag<unknown>>>;

/** Whether an address names another process; a file is the server's own. */
const isShared = (address: string | undefined): boolean =>
  address !== undefined && !address.startsWith("file:");

/** The configuration from the settings; unset values come from `defaultConfig`. */
export function configOf(flags: Values<typeof settings>): Config {
  const { discover, inspect, probe, call, anonymous, ...others } = flags;
  const shared = (["databaseUrl", "redisUrl", "resultsUrl"] as const).find((name) => isShared(flags[name]));
  if (flags.testClock && shared !== undefined) {
    throw new WrongUse(
      `--test-clock cannot be combined with ${settings[shared].long}: the clock of that server would not follow.`,
    );
  }
  const brokenAnswers = process.env["NODE_ENV"] === "production" ? "report" : "refuse";
  return {
    ...defaultConfig,
    brokenAnswers,
    ...(Object.fromEntries(
      Object.entries(others).filter(([, value]) => value !== undefined),
    ) as Partial<Config>),
    quotas: { discover, inspect, probe, call, anonymous },
  };
}
