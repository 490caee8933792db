// The same walks as in the tests, by Node's SQLite.
process.env["SQLITE_DRIVER"] = "node";
await import("./account-walk.test.ts");

export {};
