/** A flag, a profile or a file that cannot be used: exit status 2. The message says what would be right. */
export class WrongUse extends Error {}

/** The server could not be reached, or is not of this kind: the whole run ends, with exit status 3. */
export class Unreachable extends Error {}

/** What every verb's exit status means; its help ends with this. */
export const exitStatuses =
  "Exit status: 0 nothing failed, 1 something failed, 2 wrong use, 3 the server could not be reached,\n" +
  "4 an error of this program's own.";

/** Runs a program and sets the exit status that it answers, or that what it throws stands for. */
export async function exitingWith(program: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await program();
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unreachable) {
      console.error(error.message);
      process.exitCode = error instanceof WrongUse ? 2 : 3;
    } else {
      console.error("The program itself failed; this says nothing about the server:");
      console.error(error);
      process.exitCode = 4;
    }
  }
}
