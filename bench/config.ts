import { defaultConfig, type Config } from "../reference-server/config.ts";
import { unlimitedQuotas } from "../reference-server/unlimited.fixture.ts";

/** The reference server as it comes, on a free port; its quotas are out of the way and it logs nothing: requests that a load cuts off at its end would fill the log. */
export const benchConfig = (dataFolder: string, databaseUrl: string | null = null): Config => ({
  ...defaultConfig,
  dataFolder,
  databaseUrl,
  port: 0,
  quotas: unlimitedQuotas,
  logLevel: "silent",
});
