import { proveRollBack } from "./operation.fixture.ts";

proveRollBack("SQLite");
proveRollBack("Postgres");
