import { proveLaws } from "./rewritten.fixture.ts";

proveLaws(Number(process.env["DRIFT_ROUNDS"] ?? 2000));
