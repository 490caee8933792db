import { defaultConfig, type Config } from "../../reference-server/config.ts";

/**
 * The reference server as anybody would start it, on a free port. Only its log is quiet, and one client address may
 * register and claim more often: here every agent of the suite has the same one.
 */
export const demoConfig = (dataFolder: string): Config => ({
  ...defaultConfig,
  dataFolder,
  port: 0,
  quotas: { ...defaultConfig.quotas, anonymous: 150 },
  logLevel: "error",
});
