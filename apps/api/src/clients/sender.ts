import type { Admitted, CheckedTicket, Tickets } from '@svc/auth-core';

/** Who sent a request, as the guard established it. */
export type Sender =
  | {
      readonly kind: 'caller';
      readonly caller: Admitted;
      /** The ticket that proved the caller, not spent yet; null if a credential did. */
      readonly ticket: CheckedTicket | null;
    }
  /** On a node: its hub, with the session that its token names, if any. */
  | { readonly kind: 'hub'; readonly sessionId: string | null }
  | { readonly kind: 'scraper' };

/** Spends the ticket of a request, if one proved its caller. Throws `invalid ticket` if it was spent meanwhile. */
export function spendTicket({ sender }: { readonly sender: Sender }, tickets: Pick<Tickets, 'spend'>): void {
  if (sender.kind === 'caller' && sender.ticket !== null) tickets.spend(sender.ticket);
}
