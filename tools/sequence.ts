import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that spend most of their time on windows, deadlines and processes. */
export const waiting: readonly string[] = [
  "load/load.test.ts",
  "load/unkind.test.ts",
  "load/gates.test.ts",
  "conformance/run/plan.test.ts",
  "conformance/run/vitest.test.ts",
  "reference-server/main.test.ts",
  "conformance/traffic/clients/chaos.test.ts",
  "tools/hardening/fuzz/endure.test.ts",
  "tools/hardening/kill/kill.test.ts",
  "conformance/server/client.test.ts",
  "conformance/suite/limits/addresses.test.ts",
  "conformance/certify/bill.test.ts",
];

/** How many files begin between two that wait, so that others compute meanwhile. */
const apart = 7;

/** The order of the test files. */
export default class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inSequence(await super.sort(files), (file) => ({
      project: file.project.name,
      isWaiting: waiting.some((name) => file.moduleId.endsWith(`/${name}`)),
    }));
  }
}

/**
 * Test files in an order in which no worker is alone at the end: those that wait begin early, one after another. The files
 * of a project stay together, since a worker that changes its project loads every module again.
 */
export function inSequence<File>(
  files: readonly File[],
  of: (file: File) => { project: string; isWaiting: boolean },
): File[] {
  return [...Map.groupBy(files, (file) => of(file).project).values()].flatMap((ofProject) => {
    const sequence = ofProject.filter((file) => !of(file).isWaiting);
    for (const [index, file] of ofProject.filter((file) => of(file).isWaiting).entries())
      sequence.splice(index * (apart + 1), 0, file);
    return sequence;
  });
}
