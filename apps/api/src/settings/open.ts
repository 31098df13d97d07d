import type { Audit, Stores } from '@svc/auth-core';
import type { Module } from '@svc/module';
import type { Outbound } from '@svc/outbound';
import { type Config, LabLogo, Settings, startUpSettings } from '@svc/settings';
import { AiTests } from './ai-tests.ts';

interface Needs {
  readonly config: Config;
  readonly stores: Stores;
  readonly audit: Audit;
  readonly outbound: Outbound;
}

export interface SettingsOffers {
  /** The current values of the settings that the API can change. */
  readonly settings: Settings;
  readonly labLogo: LabLogo;
}

/** Opens the settings of the running server, its logo, and the test of its AI provider (contract 2). */
export function openSettings({ config, stores, audit, outbound }: Needs): Module<SettingsOffers> {
  const settings = new Settings({ stores, audit }, startUpSettings(config));
  const labLogo = new LabLogo({ stores, audit });
  const aiTests = new AiTests(settings, { apiKey: config.ai.apiKey, outbound });
  return {
    offers: { settings, labLogo },
    handlers: {
      settings: ({ caller }) => settings.list(caller),
      saveSettings: ({ caller, body }) => settings.save(caller, body),
      listGivenSettings: () => config.given,
      saveLogo: ({ caller, body }) => labLogo.save(caller, body.png),
      deleteLogo: ({ caller }) => labLogo.remove(caller),
      testAi: (_request, { gone }) => aiTests.run(gone),
    },
    schedules: [],
    metrics: [],
    disconnect: () => aiTests.stop(),
    close: async () => undefined,
  };
}
