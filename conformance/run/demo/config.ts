import { defaultConfig, type Config } from "../../../reference-server/config.ts";

/**
 * The reference server in its default configuration, on a free port. Only its log is off, its clock can be set ahead,
 * and its limits on register and claim per client address are higher, since all of the suite's agents share one address.
 */
export const demoConfig = (dataFolder: string): Config => ({
  ...defaultConfig,
  dataFolder,
  port: 0,
  quotas: { ...defaultConfig.quotas, anonymous: 200 },
  logLevel: "error",
  testClock: true,
});
