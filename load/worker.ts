import { performPart, type Part } from "./part.ts";

/** A process that performs one part of a load and says what came of it. */
process.once("message", (part) => {
  performPart(part as Part).then(
    (done) => process.send!(done),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(4);
    },
  );
});
