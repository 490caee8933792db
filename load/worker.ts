import { performPart, type Part } from "./part.ts";

/** A process that runs the parts of a load sent to it, and reports progress and results. */
process.on("message", (part) => {
  performPart(part as Part, (answers) => process.send!({ answers })).then(
    (done) => process.send!(done),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(4);
    },
  );
});
