import { command, verdictMark } from "../report/html-checks.ts";
import { html, sentence, type Markup } from "../report/html-markup.ts";
import { bodiesOfAPage, wireTrace, type Ration } from "../report/html-trace.ts";
import { reportPage, type PageSection } from "../report/report-page.ts";
import { timeline } from "../report/timeline.ts";
import type { Verdict } from "../judge/verdict.ts";
import { billRows } from "./bill.ts";
import {
  figureWords,
  foundIn,
  headline,
  judgedLine,
  type Alike,
  type Certificate,
  type CertifiedScenario,
} from "./certificate.ts";

/** A certificate as one HTML file that works without scripts: what was found first, every scenario with its trace. */
export function certificateHtml(certificate: Certificate): string {
  const { checks, figures } = certificate;
  const ration: Ration = { left: bodiesOfAPage };
  const found = foundIn(certificate);
  const [first] = found.flat();
  const others = (id: string, title: string, verdict: Verdict): PageSection | null => {
    const some = checks.filter((scenario) => scenario.verdict === verdict);
    if (some.length === 0) return null;
    const body = html`<ul class="checks">
      ${some.map((scenario) => row(scenario, ration))}
    </ul>`;
    return { id, title, count: some.length, body };
  };
  return reportPage({
    kind: "Certification of a client",
    verdict: headline(certificate),
    target: certificate.command,
    judged: [judgedLine(certificate)],
    first: first && { what: `${first.title}: ${first.reason}`, section: first.id },
    run: certificate,
    facts: {
      Contract: certificate.contract_version,
      Suite: certificate.suite_version,
      Runs: String(checks.length),
    },
    sections: [
      {
        id: "failed",
        title: "What was found",
        count: found.flat().length,
        body: html`${found.length === 0 && html`<p class="nothing">Nothing was found.</p>`}
        ${found.map((some) => card(some, ration))}`,
      },
      figures.tasks > 0 ? { id: "bill", title: "The bill", body: billTable(certificate) } : null,
      others("unmet", "Never met", "unverified"),
      others("passed", "Passed", "pass"),
    ],
  });
}

const billTable = ({ bill: { without_faults: without, with_faults: faulty } }: Certificate): Markup =>
  html`<div class="figures bill" tabindex="0" role="region" aria-label="The bill">
    <table>
      <thead>
        <tr>
          <td></td>
          <th>without a fault</th>
          <th>with lawful faults</th>
        </tr>
      </thead>
      <tbody>
        ${billRows.map(
          ([words, cell]) =>
            html`<tr class="${words.startsWith(" ") && "part"}">
              <th scope="row">${words.trim()}</th>
              <td>${cell(without)}</td>
              <td>${faulty.runs > 0 && cell(faulty)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;

function card([scenario, ...others]: Alike, ration: Ration): Markup {
  const { id, title, verdict, reason, problems, repeat } = scenario;
  return html`<article class="card ${verdict}" id="${id}">
    <h3>${verdictMark(verdict)} <span>${id}: ${title}</span></h3>
    ${problems.length === 0 && html`<p class="text">${reason}</p>`}
    ${problems.map(
      ({ fault, level, clause, expected, received, hint }) =>
        html`<p><b>${fault}</b> ${clause !== null && html`<span class="quiet">${clause}, ${level}</span>`}</p>
          <dl class="facts">
            <dt>expected</dt>
            <dd class="text">${expected}</dd>
            <dt>received</dt>
            <dd class="text received">${received}</dd>
            ${
              hint !== undefined &&
              html`<dt>hint</dt>
                <dd class="text">${hint}</dd>`
            }
          </dl>`,
    )}
    ${guidance(scenario)} ${command("Repeat it", repeat)} ${trace(scenario, ration)}
    ${
      others.length > 0 &&
      html`<p>The same in:</p>
        <ul class="checks">
          ${others.map((judged) => row(judged, ration))}
        </ul>`
    }
  </article> `;
}

const row = (scenario: CertifiedScenario, ration: Ration): Markup =>
  html`<li id="${scenario.id}">
    <details>
      <summary>${verdictMark(scenario.verdict)} ${scenario.id}: ${scenario.title}</summary>
      ${scenario.reason !== null && html`<p class="text">${scenario.reason}</p>`} ${guidance(scenario)}
      ${command("Repeat it", scenario.repeat)} ${trace(scenario, ration)}
    </details>
  </li> `;

const guidance = ({ happens, right, figures, exit_status }: CertifiedScenario): Markup =>
  html`<p>${sentence(happens)}</p>
    <p><b>A right client:</b> ${sentence(right)}</p>
    ${
      figures !== null &&
      html`<p class="note">
        This client:
        ${figureWords.flatMap(([name, words]) => (figures[name] === 0 ? [] : `${words}: ${figures[name]}`)).join(", ")};
        exit status ${exit_status ?? "none"}
      </p>`
    }`;

function trace(scenario: CertifiedScenario, ration: Ration): Markup {
  const target =
    scenario.exchanges[0] === undefined ? "" : new URL(scenario.exchanges[0].url).origin + "/api/v1";
  return html`${timeline(scenario.exchanges, { culprit: scenario.culprit, withClient: true })}${wireTrace(scenario, { target }, ration)}${
    scenario.output !== "" &&
    html`<details>
      <summary>What the command printed last</summary>
      <pre class="body">${scenario.output}</pre>
    </details>`
  }`;
}
