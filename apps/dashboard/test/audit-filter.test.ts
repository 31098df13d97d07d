import { describe, expect, it } from 'vitest';
import {
  isEmptyFilter,
  isoOfLocal,
  localInput,
  NO_FILTER,
  queryOfFilter,
} from '../src/pages/audit/audit-filter.ts';

describe('the filter of the audit page', () => {
  it('the filter of the audit page shows a time in the reader’s zone and asks with the same moment in UTC', () => {
    for (const iso of ['2026-03-29T00:30:00.000Z', '2026-11-22T23:59:00.000Z', '2026-01-01T00:00:00.000Z'])
      expect(isoOfLocal(localInput(iso))).toBe(iso);
    expect(localInput('2026-01-01T00:00:00.000Z')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  });

  it('the filter of the audit page ignores a text that is not a time', () => {
    for (const text of ['', 'yesterday', '<b>', '2026-13-01T00:00']) {
      expect(localInput(text)).toBe('');
      expect(isoOfLocal(text)).toBe('');
    }
  });

  it('the filter of the audit page asks for what is filled in', () => {
    expect(queryOfFilter({ ...NO_FILTER, event: 'authz_fail' })).toEqual({ event: 'authz_fail' });
    expect(isEmptyFilter(NO_FILTER)).toBe(true);
    expect(isEmptyFilter({ ...NO_FILTER, to: '2026-01-01T00:00:00.000Z' })).toBe(false);
  });
});
