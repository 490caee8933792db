/** The result of some rounds, after every account they used was read. */
export interface Reckoning {
  /** The numbers of the first and last round. */
  rounds: readonly [number, number];
  /** For each round: what was killed or failed, and the point or the time since its beginning. */
  kills: string[];
  /** Calls whose client learned the outcome, and calls whose client did not. */
  answered: number;
  unanswered: number;
  /** The number of the latter that a sweep voided. */
  voided: number;
  /** Every broken promise, as a sentence. */
  broken: string[];
}

const sum = (reckonings: readonly Reckoning[], count: (reckoning: Reckoning) => number): number =>
  reckonings.reduce((total, reckoning) => total + count(reckoning), 0);

/** One line for the result of some rounds, and one for each broken promise. */
export function linesOf({ rounds: [first, last], kills, ...counted }: Reckoning): string {
  const { answered, unanswered, voided, broken } = counted;
  const rounds = first === last ? `round ${first}` : `rounds ${first} to ${last}`;
  const killed = kills.length === 1 ? ` ${kills[0]!};` : kills.map((kill) => `\n  ${kill}`).join("");
  const counts = `${answered} calls answered, ${unanswered} not, ${voided} voided`;
  const lines = [`${rounds}:${killed}${kills.length === 1 ? " " : "\n  "}${counts}`];
  return [...lines, ...broken.map((sentence) => `  BROKEN: ${sentence}`)].join("\n");
}

/** The total of all rounds as a sentence. */
export function summary(reckonings: readonly Reckoning[]): string {
  const broken = sum(reckonings, (reckoning) => reckoning.broken.length);
  return (
    `${sum(reckonings, ({ kills }) => kills.length)} rounds, ` +
    `${sum(reckonings, (reckoning) => reckoning.answered)} calls answered, ${sum(reckonings, (reckoning) => reckoning.unanswered)} not, ` +
    `${sum(reckonings, (reckoning) => reckoning.voided)} voided: ` +
    (broken === 0 ? "every promise was kept" : `${broken} broken promises`)
  );
}
