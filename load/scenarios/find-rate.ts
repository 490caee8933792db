import type { Outcome } from "../outcome.ts";
import type { LoadRun } from "../run.ts";
export const findRate = async (_run: LoadRun, _options: object): Promise<Outcome> => {
  throw new Error("soon");
};
