import { circumstances, proveJudge } from "./proved.fixture.ts";

proveJudge(Object.entries(circumstances), [20, 60], [0, 4321, 17_171, 36_500, 59_700], 1713);
