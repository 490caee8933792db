import { performPart, type Part } from "./part.ts";

/** A process that performs the parts of a load that it is sent, and says how far it is and what came of each. */
process.on("message", (part) => {
  performPart(part as Part, (answers) => process.send!({ answers })).then(
    (done) => process.send!(done),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(4);
    },
  );
});
