import { defaultConfig, type Config } from "../../reference-server/config.ts";

/** The reference server as anybody would start it, on a free port; only its log is quiet. */
export const demoConfig = (dataFolder: string): Config => ({
  ...defaultConfig,
  dataFolder,
  port: 0,
  logLevel: "error",
});
