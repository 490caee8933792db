import { oddly, type OddWay } from "../../reference-server/chaos/odd.ts";
import { onAnswers, type Change } from "./mutant.ts";

/** Every success in one form of the catalogue that the unfriendly server also draws from. */
export const inForm = (way: OddWay): Change =>
  onAnswers(
    ({ operation }, { status }) => operation !== null && status === 200,
    (answer, { operation }) => ({ ...answer, body: oddly(way, operation, answer.body) }),
  );
