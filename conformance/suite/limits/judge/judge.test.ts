import { circumstances, proveJudge } from "./proved.fixture.ts";

// In every circumstance, at more phases and with longer windows: judge.proof.ts.
proveJudge(Object.entries(circumstances).slice(0, 1), [20], [0, 17_171], 17_171);
