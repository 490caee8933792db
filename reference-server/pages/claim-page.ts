import type { Language } from "../../generated/contract.ts";
import { html, page, type Html } from "./html.ts";
import { claimTexts, type ClaimTexts } from "./claim-texts.ts";

/** The values entered so far. */
export interface ClaimForm {
  claimCode: string;
  email: string;
  code: string;
}

type ClaimField = "claim_code" | "email" | "code";

/** Why the form is shown again: a sentence, and the field concerned, if any. */
export interface Problem {
  field: ClaimField | null;
  message: string;
}

/** The first step asks for claim code and address, the second for the mailed code; `done` reports success. */
export type ClaimStep = "start" | "verify" | "done";

/** The common inputs of every part of the page. */
interface View {
  lang: Language;
  texts: ClaimTexts;
  step: ClaimStep;
  form: ClaimForm;
  problem: Problem | null;
  blocked: boolean;
}

/** The claim page at one step, as plain forms in the requested language. */
export function claimPage(
  lang: Language,
  step: ClaimStep,
  form: ClaimForm,
  problem: Problem | null,
  blocked = false,
): string {
  const texts = claimTexts[lang];
  const view: View = { lang, texts, step, form, problem, blocked };
  const shown =
    step === "done"
      ? done(view)
      : html`${steps(view)}${step === "start" ? startForm(view) : verifyForm(view)}`;
  const title = `${problem ? `${texts.problem}: ` : ""}${step === "done" ? texts.doneTitle : texts.title}`;
  return page(
    { title, lang: lang === "zh" ? "zh-CN" : "en", className: "claim", styles: ["/pages.css"] },
    html`<main>${step !== "verify" && language(view)} ${shown}</main>`,
  );
}

/** Hidden at the second step, since a link would discard the input. */
function language(view: View): Html {
  const { lang, texts } = view;
  const other = lang === "en" ? "zh" : "en";
  const tag = other === "zh" ? "zh-CN" : "en";
  return html`<p class="language">
    <a href="/claim?lang=${other}" lang="${tag}" hreflang="${tag}">${texts.otherLanguage}</a>
  </p>`;
}

function steps(view: View): Html {
  const { step, texts } = view;
  const items = texts.steps.map((text, index) => {
    const current = (index === 0) === (step === "start");
    return current ? html`<li aria-current="step">${text}</li>` : html`<li>${text}</li>`;
  });
  return html`<h1>${texts.title}</h1>
    <p class="lead">${texts.lead}</p>
    <ol class="steps">
      ${items}
    </ol>
    ${summary(view)}`;
}

function summary(view: View): Html | null {
  const { blocked, problem, texts } = view;
  if (!problem) return null;
  const id = problem.field === null ? null : inputId(problem.field);
  return html`<div class="problem" role="alert">
    <h2>${blocked ? texts.blocked : texts.problem}</h2>
    <p>${id === null ? problem.message : html`<a href="#${id}">${problem.message}</a>`}</p>
  </div>`;
}

function startForm(view: View): Html {
  const { form, lang, texts } = view;
  return html`<form method="post" action="/claim/start?lang=${lang}">
    ${field(view, "claim_code", texts.claimCode, texts.claimCodeHint, form.claimCode, html`autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200"`)}
    ${field(view, "email", texts.email, texts.emailHint, form.email, html`type="email" autocomplete="email" maxlength="254"`)}
    <button type="submit">${texts.send}</button>
  </form>`;
}

function verifyForm(view: View): Html {
  const { form, lang, texts } = view;
  const kept = html`<input type="hidden" name="claim_code" value="${form.claimCode}" /><input
      type="hidden"
      name="email"
      value="${form.email}"
    />`;
  return html`<form method="post" action="/claim/verify?lang=${lang}">
      ${kept}
      ${field(view, "code", texts.code, texts.codeHint(form.email), form.code, html`inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,7}" maxlength="7" class="digits"`)}
      <button type="submit">${texts.verify}</button>
    </form>
    <div class="ways-out">
      <form method="post" action="/claim/start?lang=${lang}">
        ${kept}<button type="submit" class="quiet">${texts.again}</button>
      </form>
      <a href="/claim?lang=${lang}">${texts.other}</a>
    </div>`;
}

function field(
  view: View,
  name: ClaimField,
  label: string,
  hint: string,
  value: string,
  attributes: Html,
): Html {
  const { problem } = view;
  const id = inputId(name);
  const wrong = problem?.field === name ? problem.message : null;
  const described = wrong === null ? `${id}-hint` : `${id}-hint ${id}-error`;
  const invalid = wrong === null ? null : html`aria-invalid="true" autofocus`;
  return html`<div class="field${wrong === null ? "" : " wrong"}">
    <label for="${id}">${label}</label>
    <p class="hint" id="${id}-hint">${hint}</p>
    ${wrong !== null && html`<p class="error" id="${id}-error">${wrong}</p>`}
    <input
      id="${id}"
      name="${name}"
      value="${value}"
      required
      aria-describedby="${described}"
      ${invalid}
      ${attributes}
    />
  </div>`;
}

function done(view: View): Html {
  const { form, texts } = view;
  return html`<div class="done" role="status">
    <h1>${texts.doneTitle}</h1>
    <p class="lead">${texts.done(form.email)}</p>
    <p>${texts.doneHint}</p>
  </div>`;
}

const inputId = (field: ClaimField): string => field.replace("_", "-");
