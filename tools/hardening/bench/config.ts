import { defaultConfig, type Config } from "../../../reference-server/config.ts";
import { unlimitedQuotas } from "../../../reference-server/unlimited.fixture.ts";

/**
 * The reference server's defaults on a free port, with high quotas and no log: the requests that a load cuts off at its
 * end would fill it.
 */
export const benchConfig = (dataFolder: string, databaseUrl: string | null = null): Config => ({
  ...defaultConfig,
  dataFolder,
  databaseUrl,
  port: 0,
  quotas: unlimitedQuotas,
  logLevel: "silent",
});
