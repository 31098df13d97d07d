import type { Clock } from '@svc/auth-core';
import { type Lookups, localDestinations, type Outbound } from '@svc/outbound';
import type { WorkloadKeys } from './workload-keys.ts';

interface Tools {
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly lookups: Lookups;
  /** Addresses that issuers may have although they are not public (`SVC_WORKLOAD_ALLOW`). */
  readonly allow: readonly string[];
  /** Whether this server listens on this host alone, so that issuers on the host are allowed, too. */
  readonly isLocal: () => boolean;
}

/**
 * Returns the verifier of the tokens that CI jobs get from their issuers. Its code is loaded when the first token
 * arrives. Issuers are reached only at addresses at which webhooks and nodes are reached (`SVC_WORKLOAD_ALLOW`).
 */
export function workloadKeys({ clock, outbound, lookups, allow, isLocal }: Tools): WorkloadKeys {
  const destinations = localDestinations({
    allow,
    isLocal,
    lookups,
    setting: 'SVC_WORKLOAD_ALLOW',
  });
  let loading: Promise<WorkloadKeys> | undefined;
  return {
    verify: async (token, issuer, pasted) => {
      loading ??= import('./issuer-keys.ts').then(
        ({ IssuerKeys }) => new IssuerKeys({ clock, outbound, destinations }),
      );
      return (await loading).verify(token, issuer, pasted);
    },
  };
}
