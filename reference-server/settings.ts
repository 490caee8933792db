import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { defaultConfig, type Config, type Quotas } from "./config.ts";

/** A flag or an environment variable that cannot be understood; the message says what would be right. */
export class SettingError extends Error {}

interface Setting {
  flag: string;
  env: string;
  value: string;
  help: string;
  apply(config: Config, value: string): void;
}

const whole = (name: string, value: string, least: number, most: number): number => {
  const number = /^\d{1,12}$/.test(value) ? Number(value) : NaN;
  if (number >= least && number <= most) return number;
  throw new SettingError(
    `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(value)}.`,
  );
};

const oneOf = <Choice extends string>(name: string, value: string, choices: readonly Choice[]): Choice => {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new SettingError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(value)}.`);
};

const list = (value: string): string[] =>
  value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

const quota = (name: keyof Quotas, help: string): Setting => ({
  flag: `quota-${name}`,
  env: `QUOTA_${name.toUpperCase()}`,
  value: "N",
  help: `requests in one window: ${help}`,
  apply: (config, value) => {
    config.quotas = { ...config.quotas, [name]: whole(`--quota-${name}`, value, 0, 1_000_000_000) };
  },
});

/** Everything that can be set, each as a flag and as an environment variable; a flag wins. */
export const settings: readonly Setting[] = [
  {
    flag: "port",
    env: "PORT",
    value: "N",
    help: "port to listen at; 0 takes a free one",
    apply: (config, value) => (config.port = whole("--port", value, 0, 65_535)),
  },
  {
    flag: "host",
    env: "HOST",
    value: "ADDRESS",
    help: "address to listen at",
    apply: (config, value) => (config.host = value),
  },
  {
    flag: "data",
    env: "DATA_FOLDER",
    value: "FOLDER",
    help: "folder of the database, keys, outbox and results",
    apply: (config, value) => (config.dataFolder = value),
  },
  {
    flag: "catalog",
    env: "CATALOG_FOLDER",
    value: "FOLDER",
    help: "folder of catalogue YAML instead of the sample catalogue",
    apply: (config, value) => (config.catalogFolder = value),
  },
  {
    flag: "database-url",
    env: "DATABASE_URL",
    value: "URL",
    help: "postgres://… for several processes, or file:PATH instead of data.sqlite in the data folder",
    apply: (config, value) => (config.databaseUrl = value),
  },
  {
    flag: "redis-url",
    env: "REDIS_URL",
    value: "URL",
    help: "redis://… that counts rate limits for several processes; a cluster's addresses by commas",
    apply: (config, value) => (config.redisUrl = value),
  },
  {
    flag: "smtp-url",
    env: "SMTP_URL",
    value: "URL",
    help: "SMTP server for mails; without it they are written to the outbox folder",
    apply: (config, value) => (config.smtpUrl = value),
  },
  {
    flag: "public-url",
    env: "PUBLIC_URL",
    value: "URL",
    help: "origin under which people reach the server",
    apply: (config, value) => (config.publicUrl = value.replace(/\/+$/, "")),
  },
  {
    flag: "window",
    env: "RATE_LIMIT_WINDOW",
    value: "SECONDS",
    help: "length of a rate-limit window",
    apply: (config, value) => (config.windowSeconds = whole("--window", value, 1, 86_400)),
  },
  {
    flag: "window-kind",
    env: "RATE_LIMIT_WINDOW_KIND",
    value: "KIND",
    help: "aligned, first-request or sliding",
    apply: (config, value) =>
      (config.windowKind = oneOf("--window-kind", value, ["aligned", "first-request", "sliding"])),
  },
  quota("discover", "Discover"),
  quota("inspect", "Inspect"),
  quota("probe", "Probe"),
  quota("call", "Call"),
  quota("anonymous", "each operation without a credential, for one client address"),
  {
    flag: "trusted-proxies",
    env: "TRUSTED_PROXIES",
    value: "LIST",
    help: "addresses or networks, by commas, whose X-Forwarded-For is believed",
    apply: (config, value) => (config.trustedProxies = list(value)),
  },
  {
    flag: "max-in-flight",
    env: "MAX_IN_FLIGHT",
    value: "N",
    help: "operations under way at once; beyond it a request is refused with 503",
    apply: (config, value) => (config.mostInFlight = whole("--max-in-flight", value, 1, 1_000_000)),
  },
  {
    flag: "discover-price",
    env: "DISCOVER_PRICE",
    value: "CREDITS",
    help: "what one Discover costs",
    apply: (config, value) => {
      if (!/^\d{1,6}(\.\d{1,6})?$/.test(value)) {
        throw new SettingError(`--discover-price must be credits such as 0.5, not ${JSON.stringify(value)}.`);
      }
      config.discoverPrice = Number(value);
    },
  },
  {
    flag: "blocked-domains",
    env: "BLOCKED_EMAIL_DOMAINS",
    value: "LIST",
    help: "e-mail domains, by commas, that the risk check of a claim blocks",
    apply: (config, value) => (config.blockedEmailDomains = list(value)),
  },
  {
    flag: "results-url",
    env: "RESULTS_URL",
    value: "URL",
    help: "s3://bucket/prefix?region=…&endpoint=… for full results instead of a listener of the server's own",
    apply: (config, value) => (config.resultsUrl = value),
  },
  {
    flag: "results-port",
    env: "RESULTS_PORT",
    value: "N",
    help: "port of the HTTPS listener for full results; 0 takes a free one",
    apply: (config, value) => (config.objectStoragePort = whole("--results-port", value, 0, 65_535)),
  },
  {
    flag: "results-host",
    env: "RESULTS_HOST",
    value: "NAME",
    help: "host name in the addresses of full results",
    apply: (config, value) => (config.objectStorageHost = value),
  },
  {
    flag: "broken-answers",
    env: "BROKEN_ANSWERS",
    value: "refuse|report",
    help: "an answer that would break the contract becomes a 500, or is sent, logged and counted",
    apply: (config, value) => (config.brokenAnswers = oneOf("--broken-answers", value, ["refuse", "report"])),
  },
  {
    flag: "chaos",
    env: "CHAOS_SEED",
    value: "SEED",
    help: "lawfully unfriendly, for testing clients; the same seed repeats the same run",
    apply: (config, value) => (config.chaosSeed = value),
  },
  {
    flag: "log-level",
    env: "LOG_LEVEL",
    value: "LEVEL",
    help: "trace, debug, info, warn, error, fatal or silent",
    apply: (config, value) =>
      (config.logLevel = oneOf("--log-level", value, [
        "trace",
        "debug",
        "info",
        "warn",
        "error",
        "fatal",
        "silent",
      ])),
  },
];

/** The flags as `parseArgs` of Node takes them. */
export const flagOptions: Record<string, ParseArgsOptionDescriptor> = Object.fromEntries(
  settings.map(({ flag }) => [flag, { type: "string" }]),
);

/**
 * The configuration from defaults, environment and flags, the later ones first. In production
 * (`NODE_ENV=production`) an answer that breaks the contract is reported, else refused.
 * @throws SettingError
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const config: Config = {
    ...defaultConfig,
    brokenAnswers: env.NODE_ENV === "production" ? "report" : "refuse",
  };
  for (const { flag, env: name, apply } of settings) {
    const value = flags[flag] ?? env[name];
    if (typeof value === "string" && value !== "") apply(config, value);
  }
  return config;
}

/**
 * Reads a command line of settings alone.
 * @throws SettingError for an unknown flag or a bad value.
 */
export function readCommandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config | "help" {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...flagOptions, help: { type: "boolean", short: "h" } },
    });
    return values.help === true ? "help" : readConfig(values, env);
  } catch (error) {
    if (error instanceof TypeError) throw new SettingError(`${error.message.split(". ")[0]}. See --help.`);
    throw error;
  }
}

/** The table of settings for `--help`. */
export const settingsHelp = (): string =>
  settings
    .map(({ flag, env, value, help }) => `  ${`--${flag} ${value}`.padEnd(30)} ${env.padEnd(24)} ${help}`)
    .join("\n");
