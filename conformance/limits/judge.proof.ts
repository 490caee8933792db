import { circumstances, proveCutShort, proveJudge, proveOnSlowMachines } from "./proved.fixture.ts";

proveJudge(Object.entries(circumstances), [20, 60], [0, 4321, 17_171, 36_500, 59_700], 1713);
proveOnSlowMachines([1000, 4000, 9000], 12);
proveCutShort(3);
