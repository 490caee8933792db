import { proveBills } from "./bill.fixture.ts";

// One client of each bill; those that pay the same are in bill.proof.ts.
proveBills([
  "looks up",
  "ends with a 429",
  "sends a lost Call again",
  "sends a capability query again",
  "takes another tool for the same",
]);
