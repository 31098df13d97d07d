import { pageQuery, setPageQuery } from '../../api/page-query.ts';

/** Filter of the audit trail as the API expects it. Empty fields are not sent. */
export interface AuditFilter {
  readonly actor: string;
  readonly event: string;
  /** Time of the oldest rows to show, in ISO 8601 UTC, or an empty text for no limit. */
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: AuditFilter = { actor: '', event: '', from: '', to: '' };

export function filterOfPage(): AuditFilter {
  return {
    actor: pageQuery('actor'),
    event: pageQuery('event'),
    from: pageQuery('from'),
    to: pageQuery('to'),
  };
}

export function keepFilter(filter: AuditFilter): void {
  setPageQuery({ ...filter });
}

export function isEmptyFilter(filter: AuditFilter): boolean {
  return Object.values(filter).every((value) => value === '');
}

/** @returns the filter without its empty fields, for the query of a request */
export function queryOfFilter(filter: AuditFilter): Partial<AuditFilter> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}

/** @returns an ISO time as the value of an `<input type="datetime-local">`, in the user's time zone */
export function localInput(iso: string): string {
  const at = new Date(iso);
  if (iso === '' || Number.isNaN(at.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/**
 * Converts the value of an `<input type="datetime-local">` to an ISO time, or to an empty text if the value is not a
 * time.
 */
export function isoOfLocal(text: string): string {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
