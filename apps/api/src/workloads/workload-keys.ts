import type { WorkloadKeys } from '@svc/auth-core';
import type { CoreServices } from '../services/core.ts';

/** Returns the keys of the issuers of workload tokens. Their code is loaded with the first token. */
export function workloadKeys({ clock, outbound }: Pick<CoreServices, 'clock' | 'outbound'>): WorkloadKeys {
  let loading: Promise<WorkloadKeys> | undefined;
  return {
    verify: async (token, issuer, pasted) => {
      loading ??= import('@svc/identity/workloads').then(
        ({ IssuerKeys }) => new IssuerKeys({ clock, outbound }),
      );
      return (await loading).verify(token, issuer, pasted);
    },
  };
}
