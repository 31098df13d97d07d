/** Texts about sign-in through an OpenID provider. */
export const oidcTexts = {
  signInWith: (name: string) => `Sign in with ${name}`,
  withPassword: 'Sign in with a password',
  breakGlass: 'Only Super admins can sign in with a password.',
  problems: {
    oidc_failed:
      'The sign-in did not succeed. Try again. If it fails again, ask an administrator of the lab.',
    oidc_no_account: 'You have no access to this lab. Ask an administrator of the lab.',
    oidc_link:
      'An account of the lab has your e-mail address. Sign in with its password once within 10 minutes to link it.',
    oidc_unavailable: 'The provider does not respond. Try again later.',
  },
  identities: {
    title: 'Linked identities',
    lead: 'With these you sign in without a password of the lab.',
    issuer: 'Provider',
    subject: 'Your id there',
    linked: 'Linked',
    used: 'Last sign-in',
    actions: 'Actions',
    unlink: 'Unlink',
    unlinkTitle: (issuer: string) => `Unlink ${issuer}`,
    unlinkText: 'Other browsers that signed in through it are signed out. It no longer signs you in.',
    unlinked: 'The identity is unlinked.',
  },
  fromProvider: (issuer: string) => `Signs in through ${issuer}`,
  roleManaged: 'Groups of the provider set the role at each sign-in.',
  teamsManaged: 'Groups of the provider set some teams at each sign-in.',
  unlinkUserText:
    'The user is signed out where they signed in through it. Without a password they need a reset link to come back.',
  setup: {
    title: 'OpenID provider',
    lead: 'Enter these addresses at the provider.',
    provider: 'Provider',
    issuer: 'Issuer',
    callback: 'Redirect URI',
    logout: 'Back-channel logout URI',
    off: 'Sign-in through a provider is off. It is set up with the environment variables of the server.',
    guide: 'Guide on OpenID providers',
  },
};
