import { WrongUse } from "../../base/exit.ts";
import { limitedOperations, operations, type LimitedOperation } from "../../generated/contract.ts";
import type { Project } from "./project.ts";

/** Changes the quota of an operation: in its path, in the table of the contract, and in what quotes the table. */
export function newQuota(project: Project, [id, requests]: readonly string[]): string {
  if (id === undefined || !isLimited(id))
    throw new WrongUse(`${id} has no quota; these have: ${limitedOperations.join(", ")}`);
  if (!/^[1-9]\d*$/.test(requests!)) throw new WrongUse(`${requests} is not a number of requests`);
  const { method, path, rateLimit } = operations[id];
  const row = (count: number | string): string => `${method} ${path} | ${count} requests/minute`;
  const before = row(rateLimit.requests);
  project.replace(
    `spec/openapi/paths/${id}.yaml`,
    `requests: ${rateLimit.requests},`,
    `requests: ${requests},`,
  );
  project.replace("spec/contract.md", before, row(requests!));
  for (const { file } of project.areas())
    if (project.read(file).includes(before)) project.replace(file, before, row(requests!));
  return `npm run generate && npm run check -- --fast
  npm run mutants -- --only ${clausesOf(project, row(requests!)).join(" --only ")}`;
}

const clausesOf = (project: Project, quote: string): string[] =>
  project
    .areas()
    .flatMap(({ clauses }) => clauses.filter((clause) => clause.quote === quote).map(({ id }) => id));

const isLimited = (id: string): id is LimitedOperation =>
  (limitedOperations as readonly string[]).includes(id);
