import type { LatencyHistogram } from '@svc/auth-core';

/** Values are from fixed lists or the route table and never from a request, so that the number of series is bounded. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: Labels;
  readonly histogram: LatencyHistogram;
}

/** A metric, which is read on request and not stored. */
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

/** @returns one sample for each field, with its name as the value of `label` */
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
