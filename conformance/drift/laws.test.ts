import { proveLaws } from "./rewritten.fixture.ts";

// More of them: laws.proof.ts.
proveLaws(200);
