import { enableCompileCache } from "node:module";

// What was compiled once is kept for the next start, which halves its time; it must be on before anything is imported.
enableCompileCache();
await import("./serve.ts");
