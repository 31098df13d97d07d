import { describe, expect, it } from 'vitest';
import { changesOf, typedOf } from '../src/pages/settings/setting-values.ts';

const defaults = {
  maxSessions: 0,
  eventLogRetentionDays: 30,
  sessionRetentionDays: 365,
  auditRetentionDays: 365,
  recording: 'off' as const,
  clean: 'off' as const,
  labName: null,
  usageByPerson: 'off' as const,
  aiProvider: null,
  aiModel: null,
  aiBaseUrl: null,
};

describe('the fields of the settings page (contract 2, /config)', () => {
  it('the fields of the settings page are empty where the default counts (contract 2, /config)', () => {
    const typed = typedOf({
      settings: { ...defaults, maxSessions: 8, recording: 'all', aiModel: 'm' },
      defaults,
    });
    expect(typed).toEqual({
      maxSessions: '8',
      sessionRetentionDays: '',
      eventLogRetentionDays: '',
      auditRetentionDays: '',
      recording: 'all',
      clean: '',
      labName: '',
      usageByPerson: '',
    });
  });

  it('the fields of the settings page send what was changed and nothing else, null for the default (contract 2, /config)', () => {
    const before = typedOf({ settings: { ...defaults, maxSessions: 8, recording: 'all' }, defaults });
    expect(changesOf(before, before)).toEqual({});
    const after = {
      ...before,
      maxSessions: '',
      sessionRetentionDays: ' 7 ',
      recording: '',
      clean: ' apps ',
      labName: '12',
    };
    expect(changesOf(before, after)).toEqual({
      maxSessions: null,
      sessionRetentionDays: 7,
      recording: null,
      clean: 'apps',
      labName: '12',
    });
  });

  it('the fields of the settings page leave a number that is not whole to the server, which names the field (contract 2, /config)', () => {
    const before = typedOf({ settings: defaults, defaults });
    expect(changesOf(before, { ...before, maxSessions: '1.5' })).toEqual({ maxSessions: 1.5 });
  });
});
