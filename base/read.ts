import { constants, openSync, readFileSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { WrongUse } from "./exit.ts";

/** How long a pipe may send nothing. */
const silenceSeconds = 60;

/**
 * The text of a file or of a pipe, as of `<(git show main:openapi.yaml)`.
 * @throws WrongUse when it is neither, larger than `mostBytes`, or a pipe into which nothing is written
 */
export const givenText = async (file: string, mostBytes: number): Promise<string> =>
  (await givenBytes(file, mostBytes)).toString("utf8");

/** The bytes of a file or of a pipe, as `givenText` reads them. */
export async function givenBytes(file: string, mostBytes: number): Promise<Buffer> {
  if (!statSync(file).isFIFO()) return fileBytes(file, mostBytes);
  return streamBytes(file, fromPipe(file) as AsyncIterable<Buffer>, mostBytes);
}

/** The text of a regular file. @throws WrongUse when it is something else, or larger than `mostBytes` */
export const fileText = (file: string, mostBytes: number): string =>
  fileBytes(file, mostBytes).toString("utf8");

/** The text of a stream. @throws WrongUse when it is longer than `mostBytes` */
export const streamText = async (
  name: string,
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<string> => (await streamBytes(name, stream, mostBytes)).toString("utf8");

/** What is written into a pipe. It fails with WrongUse when nothing is. */
export function fromPipe(file: string, patienceSeconds = silenceSeconds): Socket {
  // Opened otherwise, a pipe without a writer would block for ever.
  const pipe = new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  const silence = new WrongUse(`nothing was written into the pipe ${file} for ${patienceSeconds} s`);
  return pipe.setTimeout(patienceSeconds * 1000, () => pipe.destroy(silence));
}

function fileBytes(file: string, mostBytes: number): Buffer {
  const known = statSync(file);
  if (!known.isFile()) throw new WrongUse(`${file} is not a file`);
  requireSize(file, known.size, mostBytes);
  return readFileSync(file);
}

async function streamBytes(
  name: string,
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    requireSize(name, (bytes += chunk.length), mostBytes);
  }
  return Buffer.concat(chunks);
}

/** @throws WrongUse when a text has more bytes than it may have */
function requireSize(name: string, bytes: number, mostBytes: number): void {
  if (bytes > mostBytes)
    throw new WrongUse(`${name} has more than ${mostBytes / 2 ** 20} MiB, the most that is read of it`);
}
