import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { killRounds } from "./rounds.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "20" }, seed: { type: "string" } },
});
const rounds = Number(values.rounds);
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed) || seed < 0) {
  process.stderr.write("npm run kill -- [--rounds N, at least 1] [--seed N, a whole number]\n");
  process.exit(2);
}

process.stdout.write(`seed ${seed}\n`);
const done = await killRounds(
  { rounds, seed },
  ({ number, moment, answered, unanswered, voided, broken }) => {
    process.stdout.write(
      `round ${number}: killed ${moment}; ${answered} calls answered, ${unanswered} not, ${voided} voided\n` +
        broken.map((sentence) => `  BROKEN: ${sentence}\n`).join(""),
    );
  },
);
const broken = done.flatMap((round) => round.broken);
const sum = (count: (round: (typeof done)[number]) => number): number =>
  done.reduce((total, round) => total + count(round), 0);
process.stdout.write(
  `${rounds} kills, ${sum((round) => round.answered)} calls answered, ${sum((round) => round.unanswered)} not, ` +
    `${sum((round) => round.voided)} voided: ${broken.length === 0 ? "every promise was kept" : `${broken.length} broken promises`}\n`,
);
process.exitCode = broken.length === 0 ? 0 : 1;
