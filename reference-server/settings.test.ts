import { expect, it } from "vitest";
import { readCommandLine, SettingError, settings, settingsHelp } from "./settings.ts";

it("lets a flag win over the environment, and that over the default", () => {
  expect(readCommandLine([], {})).toMatchObject({
    port: 8080,
    quotas: { discover: 120, call: 200, anonymous: 60 },
  });
  expect(readCommandLine([], { PORT: "9000", QUOTA_CALL: "7" })).toMatchObject({
    port: 9000,
    quotas: { discover: 120, call: 7 },
  });
  expect(
    readCommandLine(["--port", "9001", "--trusted-proxies", "10.0.0.0/8, ::1"], { PORT: "9000" }),
  ).toMatchObject({
    port: 9001,
    trustedProxies: ["10.0.0.0/8", "::1"],
  });
});

it("reports broken answers in production, and refuses them everywhere else", () => {
  expect(readCommandLine([], { NODE_ENV: "production" })).toMatchObject({ brokenAnswers: "report" });
  expect(readCommandLine([], { NODE_ENV: "test" })).toMatchObject({ brokenAnswers: "refuse" });
});

it.each([
  [["--port", "80x"], "--port must be a whole number from 0 to 65535"],
  [["--window", "0"], "--window must be a whole number from 1 to 86400"],
  [["--window-kind", "round"], "--window-kind must be one of aligned, first-request, sliding"],
  [["--discover-price", "-1"], "--discover-price"],
  [["--porz", "1"], "--porz"],
  [["stray"], "stray"],
])("refuses %s and says what would be right", (args, message) => {
  expect(() => readCommandLine(args, {})).toThrow(SettingError);
  expect(() => readCommandLine(args, {})).toThrow(message);
});

it("names every setting in its help", () => {
  for (const { flag, env } of settings) {
    expect(settingsHelp()).toContain(`--${flag}`);
    expect(settingsHelp()).toContain(env);
  }
});
