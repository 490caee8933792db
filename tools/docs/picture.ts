import { xml } from "../../base/escaped.ts";

const [lineHeightPx, charWidthPx, marginPx] = [18, 7.8, 16];

/** The colour of a line, by how it begins. */
const colours: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, "#7ee787"],
  [/^[A-Z]+-\d+ /, "#e6edf3"],
  [/^ +[✗■]/, "#ff7b72"],
  [/^ +!/, "#e3b341"],
  [/^ +(?:expected|received|blocks|holds)/, "#a5d6ff"],
];

/** What a terminal showed, as an SVG. */
export function pictureOf(lines: readonly string[], title: string): string {
  const columns = Math.max(...lines.map((line) => [...line].length));
  const width = Math.ceil(columns * charWidthPx) + 2 * marginPx;
  const height = lines.length * lineHeightPx + 2 * marginPx;
  const text = lines.map((line, index) => {
    const colour = colours.find(([begins]) => begins.test(line))?.[1] ?? "#8b949e";
    const y = marginPx + (index + 0.75) * lineHeightPx;
    return `<text x="${marginPx}" y="${y}" fill="${colour}" xml:space="preserve">${xml(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(title)}">`,
    `<title>${xml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13">`,
    ...text,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}
