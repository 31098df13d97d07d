import type { WorkloadKeys } from '@svc/auth-core';
import { localDestinations } from '@svc/outbound';
import type { CoreServices } from '../services/core.ts';

type Tools = Pick<CoreServices, 'clock' | 'outbound' | 'config' | 'lookups' | 'listening'>;

/**
 * Returns the verifier of the tokens that CI jobs get from their issuers. Its code is loaded when the first token
 * arrives. Issuers are reached only at addresses at which webhooks and nodes are reached (`SVC_WORKLOAD_ALLOW`).
 */
export function workloadKeys({ clock, outbound, config, lookups, listening }: Tools): WorkloadKeys {
  const destinations = localDestinations({
    allow: config.workloadAllow,
    isLocal: () => listening.isLocal,
    lookups,
    setting: 'SVC_WORKLOAD_ALLOW',
  });
  let loading: Promise<WorkloadKeys> | undefined;
  return {
    verify: async (token, issuer, pasted) => {
      loading ??= import('@svc/identity/workloads').then(
        ({ IssuerKeys }) => new IssuerKeys({ clock, outbound, destinations }),
      );
      return (await loading).verify(token, issuer, pasted);
    },
  };
}
