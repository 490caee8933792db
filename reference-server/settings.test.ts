import { expect, it, vi } from "vitest";
import { WrongUse } from "../base/exit.ts";
import { verb } from "../base/verb.ts";
import type { Config } from "./config.ts";
import { configOf, settings } from "./settings.ts";

const { read } = verb({ flags: settings, run: () => Promise.resolve(0) });

/** The configuration from a command line in an environment. */
const configured = (args: string[], env: Record<string, string> = {}): Config => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return configOf(read(args)!);
};

it("lets a flag win over the environment, and that over the default", () => {
  expect(configured([])).toMatchObject({
    port: 8080,
    databaseUrl: null,
    mailFrom: "Capability service <no-reply@localhost>",
    quotas: { discover: 120, call: 200, anonymous: 60 },
  });
  expect(configured([], { PORT: "9000", QUOTA_CALL: "7", REDIS_URL: "", DATA_FOLDER: "" })).toMatchObject({
    port: 9000,
    dataFolder: "data",
    redisUrl: null,
    quotas: { discover: 120, call: 7 },
  });
  expect(
    configured(["--port", "9001", "--trusted-proxies", "10.0.0.0/8, ::1"], {
      PORT: "9000",
      MAIL_FROM: "no-reply@broker.example",
    }),
  ).toMatchObject({
    port: 9001,
    mailFrom: "no-reply@broker.example",
    trustedProxies: ["10.0.0.0/8", "::1"],
  });
});

it("reports broken answers in production, and refuses them everywhere else", () => {
  expect(configured([], { NODE_ENV: "production" })).toMatchObject({ brokenAnswers: "report" });
  expect(configured([], { NODE_ENV: "test" })).toMatchObject({ brokenAnswers: "refuse" });
});

it.each([
  [["--port", "80x"], '--port must be a whole number from 0 to 65535, not "80x".'],
  [["--window", "0"], "--window must be a whole number from 1 to 86400"],
  [["--window-kind", "round"], "--window-kind must be one of aligned, first-request, sliding"],
  [["--public-url", "htp://u:pw@h"], "--public-url must be an http or https address"],
  [
    ["--cors", "https://app.example/path"],
    "--cors must be origins such as https://app.example, separated by",
  ],
  [["--discover-price", "-1"], "--discover-price must be credits"],
  [["--porz", "1"], "Unknown option '--porz' (did you mean --port?)"],
  [["stray"], "stray"],
  [["--test-clock", "--redis-url", "redis://x"], "--test-clock cannot be combined with --redis-url"],
  [["--test-clock", "--database-url", "postgres://x"], "--test-clock cannot be combined with --database-url"],
])("refuses %s and says what would be right", (args, message) => {
  expect(() => configured(args)).toThrow(WrongUse);
  expect(() => configured(args)).toThrow(message);
});
