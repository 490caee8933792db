import { readFileSync } from "node:fs";
import { WrongUse } from "../../base/exit.ts";
import { requirementsFile, suiteReleases } from "../../base/pinned.ts";
import { compareVersions } from "../../base/version-order.ts";
import { currentId } from "../judge/renamed.ts";
import type { Finding, Run } from "../judge/finding.ts";
import type { Verdict } from "../judge/verdict.ts";
import { newVerdicts } from "./new-verdicts.ts";
import { setAside, setAsNew } from "./known.ts";

/** A release of the suite, as it is pinned. */
export interface Pinned {
  /** The commit that was released. */
  commit: string;
  /** Its checks and rules, by the ids that they had. */
  ids: string[];
}

/** What a release of the suite asks of a server. What came later runs, and fails nothing. */
export interface Requirements {
  release: string;
  /** Why a verdict on a check or rule is newer than the release; null where the release came to it as well. */
  whyNew: (finding: Pick<Finding, "id" | "verdict">) => string | null;
}

/**
 * The requirements of a release of the suite.
 * @throws WrongUse for a release that is not pinned
 */
export function requirementsOf(release: string): Requirements {
  const releases = suiteReleases();
  if (!releases.includes(release))
    throw new WrongUse(`requirements ${release} are unknown; known are those of ${releases.join(", ")}`);
  const pinned = JSON.parse(readFileSync(requirementsFile(release), "utf8")) as Pinned;
  const ids = new Set(pinned.ids.map(currentId));
  const later = newVerdicts.filter(({ since }) => compareVersions(since, release) > 0);
  return {
    release,
    whyNew({ id, verdict }) {
      // The profile promises what these judge.
      if (id.endsWith("/pinned")) return null;
      if (!ids.has(id)) return "a check that the release does not have";
      const changed = later.find(
        (row) => row.verdicts.includes(verdict) && row.ids.some((checkId) => covers(checkId, id)),
      );
      return changed === undefined ? null : `since ${changed.since} ${changed.reason}`;
    },
  };
}

/** A clause covers the checks and rules that are named after it. */
const covers = (named: string, id: string): boolean => id === named || id.startsWith(`${named}/`);

/** The verdicts that can keep a run from passing. An error is the suite's own, whatever it was asked for. */
const holding: readonly Verdict[] = ["fail", "warn", "blocked", "unverified"];

/** Sets apart, in place, what is newer than a release: it is shown, and fails nothing. */
export function setAsideNewer(run: Run, { release, whyNew }: Requirements): void {
  setAside(run, () => {
    for (const finding of run.findings) {
      const why = holding.includes(finding.verdict) ? whyNew(finding) : null;
      if (why !== null) setAsNew(finding, release, why);
    }
  });
}
