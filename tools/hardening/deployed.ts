import { readFileSync } from "node:fs";

const mebibyte = 1_048_576;
const read = (file: string): string =>
  readFileSync(new URL(`../../reference-server/deploy/${file}`, import.meta.url), "utf8");
const numberIn = (text: string, pattern: RegExp): number => {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`no ${pattern.source} in the deployment`);
  return Number(found);
};

/** The limits of memory of one server, as both deployments set them. */
const limitsOf = (text: string, limit: RegExp) => ({
  heapMebibytes: numberIn(text, /--max-old-space-size=(\d+)/),
  memoryBytes: 1_024 * mebibyte * numberIn(text, limit),
});

/** The limits that deploy/kubernetes.yaml and deploy/compose.yaml give a server. */
export const deployed = {
  kubernetes: limitsOf(read("kubernetes.yaml"), /limits: \{ memory: (\d+)Gi \}/),
  compose: limitsOf(read("compose.yaml"), /mem_limit: (\d+)g/),
};
