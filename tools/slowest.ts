import type { Reporter, TestModule } from "vitest/node";

/** Prints the 20 slowest files at the end of a run: `npm run test:slowest`. */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    console.log(`\nThe slowest files, of ${modules.length}:\n${slowestOf(modules.map(timeOf)).join("\n")}`);
  }
}

/** A file of tests with the seconds that it took, its imports included. */
interface Time {
  file: string;
  project: string;
  seconds: number;
}

function timeOf(module: TestModule): Time {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const seconds = (collectDuration + setupDuration + duration) / 1000;
  return { file: module.relativeModuleId, project: module.project.name, seconds };
}

/** A line for each of the slowest, the slowest first. */
export const slowestOf = (times: readonly Time[], count = 20): string[] =>
  times
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ file, project, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file} (${project})`);
