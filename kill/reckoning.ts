/** What some rounds have come to, once every account that was driven in them was read. */
export interface Reckoning {
  /** The first and the last of them. */
  rounds: readonly [number, number];
  /** Of each round, what was killed, and at which point or how long after its beginning. */
  kills: string[];
  /** Calls whose client was told an outcome, and those whose client was told none. */
  answered: number;
  unanswered: number;
  /** Of the latter, the ones that were voided by a sweep. */
  voided: number;
  /** Every promise that was not kept, as a sentence. */
  broken: string[];
}

const sum = (reckonings: readonly Reckoning[], count: (one: Reckoning) => number): number =>
  reckonings.reduce((total, one) => total + count(one), 0);

/** One line of what the rounds have come to, and one for each broken promise. */
export function told({ rounds: [first, last], kills, ...counted }: Reckoning): string {
  const { answered, unanswered, voided, broken } = counted;
  const rounds = first === last ? `round ${first}` : `rounds ${first} to ${last}`;
  const killed =
    kills.length === 1 ? ` killed ${kills[0]!};` : kills.map((kill) => `\n  killed ${kill}`).join("");
  const counts = `${answered} calls answered, ${unanswered} not, ${voided} voided`;
  const lines = [`${rounds}:${killed}${kills.length === 1 ? " " : "\n  "}${counts}`];
  return [...lines, ...broken.map((sentence) => `  BROKEN: ${sentence}`)].join("\n");
}

/** The sum of all rounds as a sentence. */
export function summary(reckonings: readonly Reckoning[]): string {
  const broken = sum(reckonings, (one) => one.broken.length);
  return (
    `${sum(reckonings, ({ kills }) => kills.length)} rounds of kills, ` +
    `${sum(reckonings, (one) => one.answered)} calls answered, ${sum(reckonings, (one) => one.unanswered)} not, ` +
    `${sum(reckonings, (one) => one.voided)} voided: ` +
    (broken === 0 ? "every promise was kept" : `${broken} broken promises`)
  );
}
