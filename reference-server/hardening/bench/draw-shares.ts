import { partNames, type Shares } from "./shares.ts";

const colours = [
  "#4269d0",
  "#efb118",
  "#ff725c",
  "#6cc5b0",
  "#3ca951",
  "#ff8ab7",
  "#a463f2",
  "#97bbf5",
  "#9c6b4e",
  "#9498a0",
];
const size = { label: 190, bar: 620, row: 26, legend: 60 };

/** A picture of the shares: a bar for each operation, as long as its CPU time, cut by part of the server. */
export function drawShares(shares: Readonly<Record<string, Shares>>): string {
  const totals = Object.values(shares).map((of) => partNames.reduce((sum, part) => sum + of[part], 0));
  const scale = size.bar / Math.max(...totals);
  const bars = Object.entries(shares).flatMap(([name, of], row) => {
    const y = size.legend + row * size.row;
    let x = size.label;
    const cut = partNames.map((part, index) => {
      const width = of[part] * scale;
      const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${size.row - 6}" fill="${colours[index]}"><title>${part}: ${of[part].toFixed(0)} µs</title></rect>`;
      x += width;
      return rect;
    });
    const text = (at: number, anchor: string, says: string) =>
      `<text x="${at.toFixed(0)}" y="${y + 14}" text-anchor="${anchor}">${says}</text>`;
    return [text(size.label - 8, "end", name), ...cut, text(x + 6, "start", `${totals[row]!.toFixed(0)} µs`)];
  });
  const legend = partNames.map((part, index) => {
    const [x, y] = [size.label + (index % 5) * 125, index < 5 ? 8 : 28];
    return `<rect x="${x}" y="${y}" width="12" height="12" fill="${colours[index]}"/><text x="${x + 17}" y="${y + 10}">${part}</text>`;
  });
  const [width, height] = [size.label + size.bar + 80, size.legend + totals.length * size.row];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...legend,
    ...bars,
    "</svg>\n",
  ].join("\n");
}
