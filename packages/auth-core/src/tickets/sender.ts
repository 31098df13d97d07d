import type { Admitted } from '../limits/rate-buckets.ts';
import type { CheckedTicket } from './tickets.ts';

/**
 * Sender of a request: a caller with an account, the hub (central server) that manages this server as a node, or a
 * client that reads the metrics.
 */
export type Sender =
  | {
      readonly kind: 'caller';
      readonly caller: Admitted;
      /**
       * Ticket (single-use token in a URL) with which the caller authenticated. It is not marked as used yet. Null if
       * the caller presented a credential instead.
       */
      readonly ticket: CheckedTicket | null;
    }
  /**
   * Sender that is the hub of this node. `sessionId` is the session that its token names, and `lessee` the account that
   * holds the phone's lease at the hub. Each is null if the token names none.
   */
  | { readonly kind: 'hub'; readonly sessionId: string | null; readonly lessee: string | null }
  | { readonly kind: 'scraper' };
