import { releasedVersions } from "../../base/pinned.ts";
import { compareVersions } from "../../base/version-order.ts";
import { contractVersion } from "../../generated/contract.ts";
import { OtherVersion, WrongUse } from "../../base/exit.ts";
import { inLine } from "../../base/plain.ts";

const known = [...new Set([...releasedVersions(), contractVersion])].toSorted(compareVersions);

/** The known version closest to a given one: the latest that is not newer, else the oldest. */
const nearestTo = (version: string): string =>
  known.findLast((release) => compareVersions(release, version) <= 0) ?? known[0]!;

/**
 * Ensures that a server is judged by the right version of the contract: the profile's, else the one the server
 * announces, else the newest.
 * @param wanted the profile's `contract`, or the one a flag names
 * @param announced the server's version header
 * @returns a note for the top of the report; null when the server announces the version it is judged by
 * @throws OtherVersion when this process judges by another version; WrongUse when the wanted one is unknown
 */
export function judgedVersion(wanted: string | undefined, announced: string | undefined): string | null {
  if (wanted !== undefined && !known.includes(wanted)) {
    throw new WrongUse(
      `contract ${wanted} is unknown; the nearest known is ${nearestTo(wanted)}, and all are ${known.join(", ")}`,
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
