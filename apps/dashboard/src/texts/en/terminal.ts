/** Texts of the page that signs in a terminal (svc login). */
export const terminalTexts = {
  lead: 'A terminal that runs svc login shows a code. Approve it here to give that terminal a token of your account.',
  codeTitle: 'The code of the terminal',
  codeLead: 'Use only a code that your own terminal shows. A code works for 10 minutes, once.',
  code: 'Code',
  codeHint: 'Eight letters, such as WDJB-MJHT.',
  check: 'Check the code',
  unknown: 'There is no terminal with this code. It may have expired or been used. Run svc login again.',
  decideTitle: 'Sign in this terminal?',
  decideLead:
    'The terminal gets a token of your account for 30 days. You can revoke the token on your profile.',
  warning:
    'Deny it if someone sent you this code or a link with it, or if you did not start svc login just now. The person at that terminal can use the lab as you.',
  facts: {
    code: 'Code',
    name: 'Terminal',
    address: 'Address of the terminal',
    at: 'Asked at',
    account: 'Your account',
    scopes: 'Scopes of the token',
  },
  noAddress: 'unknown',
  allScopes: 'those of a token made on your profile',
  approve: 'Approve',
  deny: 'Deny',
  approvedTitle: 'Approved',
  approved: (name: string) => `${name} is signed in within a few seconds. You can close this page.`,
  deniedTitle: 'Denied',
  denied: 'The terminal gets no token. You can close this page.',
  toTokens: 'Show my tokens',
};
