import { text } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { writeFiles } from "../../base/write.ts";
import { compareReports, comparisonText, gotWorse, judgedInBoth, nameOf } from "./compare.ts";
import { historyPage } from "./history-page.ts";
import { readReport } from "./judge-again.ts";

export default verb({
  flags: {
    markdown: text("--markdown <FILE>", "where the comparison goes as Markdown"),
    html: text("--html <FILE>", "where it goes as a page, the reports as columns"),
  },
  takes: {
    old: "a report that --json has written",
    "new...": "later ones, in their order, or those of other servers",
  },
  about: `Compares reports, the last with the first: what started failing, started passing or became unverified, what was added and removed, and who can
have caused it. Of three or more it also names the checks that came back to a verdict that they had left.
The exit status is 1 when something got worse: it failed, was removed, or is no longer verified. It is 3 when the reports have no judged
check in common.`,
  async run({ old, "new...": later, markdown, html: page }) {
    const files = [old, ...later];
    const reports = await Promise.all(files.map(readReport));
    const names = reports.map((report, index) => nameOf(report, files[index]!));
    const compared = compareReports(reports);
    console.log(comparisonText(reports, names, compared, false));
    await writeFiles([
      [markdown, () => `${comparisonText(reports, names, compared, true)}\n`],
      [page, () => historyPage(reports, names, compared)],
    ]);
    if (gotWorse(compared)) return 1;
    return judgedInBoth(reports, compared).judged === 0 ? 3 : 0;
  },
});
