import type { Sender, Tickets } from '@svc/auth-core';

/**
 * Marks the ticket (single-use token in a URL) of a request as used, if the caller authenticated with one. Throws
 * `invalid ticket` if another request has used the same ticket meanwhile.
 */
export function spendTicket({ sender }: { readonly sender: Sender }, tickets: Pick<Tickets, 'spend'>): void {
  if (sender.kind === 'caller' && sender.ticket !== null) tickets.spend(sender.ticket);
}
