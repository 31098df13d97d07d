import type { Answer } from '../../api/client.ts';

/** A terminal that waits for an approval, with the code that it shows. */
export type WaitingTerminal = Answer<'terminalSignIn'> & { readonly userCode: string };
