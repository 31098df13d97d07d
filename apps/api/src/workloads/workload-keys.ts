import type { WorkloadKeys } from '@svc/auth-core';
import type { CoreServices } from '../services/core.ts';

/**
 * Returns the verifier of the tokens that CI jobs get from their issuers. Its code is loaded when the first token
 * arrives.
 */
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
