import type { LatencyHistogram } from './latency-histogram.ts';

/**
 * Labels of a sample. Their values come from fixed lists or the route table and never from a request, which limits the
 * number of time series.
 */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: Labels;
  readonly histogram: LatencyHistogram;
}

/** A metric. Its values are read when the metrics are requested. */
export type Metric = {
  readonly name: string;
  readonly help: string;
} & (
  | { readonly kind: 'counter' | 'gauge'; read(): readonly Sample[] }
  | { readonly kind: 'histogram'; read(): readonly HistogramSample[] }
);

export function counter(name: string, help: string, read: () => readonly Sample[]): Metric {
  return { kind: 'counter', name, help, read };
}

export function gauge(name: string, help: string, read: () => readonly Sample[]): Metric {
  return { kind: 'gauge', name, help, read };
}

/** @returns one sample for each field of `values`; the label `label` contains the name of the field */
export function byField(
  label: string,
  values: Readonly<Record<string, number>>,
  labels: Labels = {},
): Sample[] {
  return Object.entries(values).map(([field, value]) => ({ labels: { ...labels, [label]: field }, value }));
}

export function single(value: number): Sample[] {
  return [{ labels: {}, value }];
}
