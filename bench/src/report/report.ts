import { median } from '../load.ts';

/** The goal for a median. */
interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Row {
  /** What was measured, in words. */
  readonly what: string;
  /** One value per run; a ratio unless `unit` says otherwise. */
  readonly values: readonly number[];
  readonly unit?: string;
  readonly goal?: Goal;
  /** If set, a bar with this label is added to the plot of this name. */
  readonly plot?: { readonly name: PlotName; readonly label: string; readonly isOurs?: boolean };
}

export interface Section {
  readonly title: string;
  /** How the values were measured. */
  readonly about: string;
  readonly rows: Row[];
}

export const PLOTS = {
  credentials: 'Requests a second with a checked credential, of the same answer unchecked',
  commands: "Throughput of a session's command, of bare Appium",
  growth: 'Latency with more of everything, of the smallest',
} as const;
export type PlotName = keyof typeof PLOTS;

/** Collects the results of the benchmarks and prints each immediately. */
export class Report {
  readonly sections: Section[] = [];
  readonly #began = performance.now();

  begin(title: string, about: string): void {
    this.sections.push({ title, about, rows: [] });
    console.log(`\n${title}: ${about}`);
  }

  add(row: Row): void {
    this.sections.at(-1)?.rows.push(row);
    console.log(`  ${row.what.padEnd(64)} ${textOf(row)}`);
  }

  /** Minutes since the first benchmark began. */
  get minutes(): number {
    return (performance.now() - this.#began) / 60_000;
  }
}

function textOf(row: Row): string {
  return [figure(row), spread(row), goalText(row)].filter((part) => part !== '').join('  ');
}

export function figure({ values, unit = '' }: Row): string {
  const value = median(values);
  return `${value.toFixed(Math.abs(value) >= 100 ? 0 : 2)}${unit === '' ? '' : ` ${unit}`}`;
}

/** @returns the spread of the values as text, which is empty if there was only one run */
export function spread({ values }: Row): string {
  if (values.length < 2) return '';
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}, ${values.length} runs`;
}

export function goalText({ goal, values }: Row): string {
  if (goal === undefined) return '';
  const { atLeast, atMost } = goal;
  const value = median(values);
  const isReached = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  const wanted = atLeast !== undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return `${wanted}: ${isReached ? 'yes' : 'no'}`;
}
