/** Pages of people who are not signed in. */
export const doorTexts = {
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    askAdmin: 'Forgot your password? Ask an administrator of the lab for a reset link.',
    off: 'Sign-in is off on this server: everybody who reaches it is a Super admin.',
    goOn: 'Go to the devices',
    locked: (seconds: number) => `Too many tries. You can try again in ${clock(seconds)}.`,
    unlocked: 'You can try again now.',
  },
  forgot: {
    title: 'Forgot your password?',
    lead: 'Enter your e-mail address. If an account has it, a link to set a new password is on its way.',
    submit: 'Send the link',
    askAdmin: 'This server sends no mail. Ask an administrator of the lab for a reset link.',
    sentTitle: 'Look into your inbox',
    sent: 'If an account has this address, a mail with a link is on its way. It works once and for a limited time.',
    nothingThere: 'Nothing there? Look into the spam folder, or ask an administrator of the lab.',
    back: 'Back to sign-in',
  },
  reset: {
    title: 'Set a new password',
    checking: 'Checking the link…',
    submit: 'Set password',
    rule: 'At least 8 characters. You are signed out everywhere.',
    invalidTitle: 'This link does not work any more',
    invalid: 'It was used, has expired or was cancelled. Ask for a new one.',
    askAgain: 'Ask for a new link',
    doneTitle: 'Your password is set',
    done: 'You were signed out everywhere. Sign in with the new password.',
    toSignIn: 'Go to sign-in',
  },
};

/** `4:05`, or seconds alone below a minute. */
function clock(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
