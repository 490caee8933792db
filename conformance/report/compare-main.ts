import { several, text } from "../../cli/flag.ts";
import { verb } from "../../cli/verb.ts";
import { writeFiles } from "../../cli/write.ts";
import { compareReports, comparisonHtml, comparisonText, gotWorse, nameOf } from "./compare.ts";
import { readReport } from "./judge-again.ts";

export default verb({
  flags: {
    markdown: text("--markdown <FILE>", "where the comparison goes as Markdown"),
    html: text("--html <FILE>", "where it goes as a page, the reports as columns"),
    with: several("--with <FILE>", "one more report, between the two; can be given several times"),
  },
  takes: { old: "a report that --json has written", new: "a later one, or one of another server" },
  about: `Compares reports: what turned red, green or unverified, what was added and removed, and who can have caused it.
The exit status is 1 when something got worse: turned red, was removed, or is no longer verified.`,
  async run({ old, new: later, with: between, markdown, html: page }) {
    const files = [old, ...between, later];
    const reports = await Promise.all(files.map(readReport));
    const names = reports.map((report, index) => nameOf(report, files[index]!));
    const compared = compareReports(reports);
    console.log(comparisonText(reports, names, compared, false));
    await writeFiles([
      [markdown, () => `${comparisonText(reports, names, compared, true)}\n`],
      [page, () => comparisonHtml(names, compared)],
    ]);
    return gotWorse(compared) ? 1 : 0;
  },
});
