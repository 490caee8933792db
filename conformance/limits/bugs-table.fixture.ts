import { expectedWords, receivedWords } from "../judge/fact.ts";
import { bugs } from "./bugs.fixture.ts";
import { judgedRun } from "./simulated.fixture.ts";

/*
 * Prints the public bugs as a table in Markdown, each with what a run says of it:
 * `npm run limiters:bugs`.
 */
const [quota, windowSeconds] = [30, 60];

console.log("| a limiter that | verdict | expected | received |\n| --- | --- | --- | --- |");
for (const { does, make } of bugs) {
  const { findings } = await judgedRun({ quota, windowSeconds, serve: make({ quota, windowSeconds }) });
  for (const { name, title, fact } of findings)
    console.log(`| ${does} | ${title} (${name}) | ${expectedWords(fact)} | ${receivedWords(fact)} |`);
}
