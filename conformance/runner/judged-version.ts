import { compareVersions, releasedVersions } from "../../contract/pinned.ts";
import { contractVersion } from "../../generated/contract.ts";
import { OtherVersion, WrongUse } from "../../cli/exit.ts";
import { inLine } from "../judge/plain.ts";

const known = [...new Set([...releasedVersions(), contractVersion])].toSorted(compareVersions);

/** The known version that a version comes nearest to: the last that is not later, else the first of all. */
const nearestTo = (version: string): string =>
  known.findLast((one) => compareVersions(one, version) <= 0) ?? known[0]!;

/**
 * Sees to it that a server is judged by the right version of the contract: what the profile says, else what the server
 * announces, else the newest.
 * @param wanted the profile's `contract`
 * @param announced the server's version header
 * @returns what a reader of the report has to know before all else; null when the server announces the version judged
 * @throws OtherVersion when the process judges by another; WrongUse when the wanted one is unknown
 */
export function judgedVersion(wanted: string | undefined, announced: string | undefined): string | null {
  if (wanted !== undefined && !known.includes(wanted)) {
    throw new WrongUse(
      `the profile's contract ${wanted} is unknown; the nearest known is ${nearestTo(wanted)}, and all are ${known.join(", ")}`,
    );
  }
  const isChosen = process.env["CONTRACT_VERSION"] !== undefined;
  const version =
    wanted ??
    (announced === undefined
      ? contractVersion
      : known.includes(announced)
        ? announced
        : nearestTo(announced));
  if (version !== contractVersion && !isChosen) throw new OtherVersion(version);
  if (announced === undefined || announced === contractVersion) return null;
  const said = inLine(announced);
  return known.includes(announced)
    ? `The server announces contract ${said} and is judged by ${contractVersion}: much of what follows may come from that.`
    : `The server announces contract ${said}, which is unknown here; it is judged by ${contractVersion}, the nearest known.`;
}
