import { WrongUse } from "../../base/exit.ts";
import type { Project } from "./project.ts";

/** Raises the version of the contract in the files that state it. @returns what to do next */
export function newVersion(project: Project, [version]: readonly string[]): string {
  const current = project.version();
  if (!/^\d{4}-\d\d-\d\d\.\d+$/.test(version!))
    throw new WrongUse(`${version} is not a version: write a day and a number, such as ${current}`);
  for (const [file, place] of [
    ["spec/openapi/root.yaml", `version: ${current}`],
    ["spec/openapi/headers.yaml", `const: ${current}`],
    ["spec/openapi/headers.yaml", `example: ${current}`],
    ["spec/contract.md", `Contract version: \`${current}\``],
  ] as const)
    project.replace(file, place, place.replace(current, version!));
  return `npm run generate, and say in docs/CHANGELOG.md what is new. At the release: npm run generate -- --release`;
}
