import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { SIZE } from '../size.ts';
import {
  figure,
  goalText,
  PLOTS,
  type PlotName,
  type Report,
  type Row,
  type Section,
  spread,
} from './report.ts';

/** @returns the results as a page in Markdown */
export function markdownOf({ sections, minutes }: Report, plots: readonly PlotName[]): string {
  return [
    '# Results',
    '',
    'Written by `npx -y pnpm@10 bench`; do not edit. Figures are medians of runs in which everything that is compared takes turns. Compare the ratios, because absolute figures depend on the machine and the day. A control measures the same thing twice and shows the noise.',
    '',
    ...plots.map((name) => `![${PLOTS[name]}](${plotFile(name)})\n`),
    table(['', ''], [...machine(), ['size', `${SIZE}, ${Math.round(minutes)} min`]]),
    '',
    ...sections.flatMap(sectionOf),
  ].join('\n');
}

/** @returns the path of the plot, relative to the page */
export function plotFile(name: PlotName): string {
  return `plots/${name}.svg`;
}

function sectionOf({ title, about, rows }: Section): string[] {
  const lines = rows.map((row: Row) => [row.what, figure(row), spread(row), goalText(row)]);
  const measured = lines.length === 0 ? [] : [table(['', 'Median', 'From, to', 'Wanted'], lines), ''];
  return [`## ${title}`, '', `${about}.`, '', ...measured];
}

function machine(): string[][] {
  const [cpu] = cpus();
  return [
    ['processor', `${cpus().length} x ${cpu?.model.trim() ?? 'unknown'}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${process.platform} ${process.arch}`],
    ['Node.js', process.version],
    ['compared with', compared().join(', ')],
  ];
}

/** @returns the name and version of every package by other authors that the benchmarks use */
function compared(): string[] {
  const file = new URL('../../../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.entries(devDependencies)
    .filter(([name]) => !name.startsWith('@svc/') && !name.startsWith('@types/'))
    .map(([name, version]) => `${name} ${version}`);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
