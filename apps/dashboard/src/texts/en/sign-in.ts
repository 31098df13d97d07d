/** Texts of the pages for people who are not signed in. */
export const signInTexts = {
  title: 'Sign in',
  ended:
    'Your sign-in has ended: its time was over, or you or an administrator ended it. Sign in again to return to your page.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  forgot: 'Forgot your password?',
  askAdmin: 'Forgot your password? Ask an administrator of the lab for a reset link.',
  off: 'Sign-in is off on this server: everyone who can reach it is a Super admin.',
  goOn: 'Go to the phones',
  locked: (seconds: number) => `Too many attempts. You can try again in ${clock(seconds)}.`,
  unlocked: 'You can try again now.',
};

export const forgotTexts = {
  title: 'Forgot your password?',
  lead: 'Enter your e-mail address. If an account uses it, you get a mail with a link to set a new password.',
  submit: 'Send the link',
  askAdmin: 'This server sends no mail. Ask an administrator of the lab for a reset link.',
  sentTitle: 'Check your inbox',
  sent: 'If an account uses this address, a mail with a link is on its way. The link works once and for a limited time.',
  nothingThere: 'No mail? Check the spam folder, or ask an administrator of the lab.',
  back: 'Back to sign-in',
};

export const resetTexts = {
  title: 'Set a new password',
  checking: 'Checking the link…',
  submit: 'Set password',
  rule: 'At least 8 characters. You are signed out everywhere.',
  invalidTitle: 'This link no longer works',
  invalid: 'It was used, has expired or was cancelled.',
  askAdmin: 'Ask an administrator of the lab for a new link.',
  askAgain: 'Request a new link',
  doneTitle: 'Your password is set',
  done: 'You were signed out everywhere. Sign in with the new password.',
  toSignIn: 'Go to sign-in',
};

/** @returns a remaining time such as `4:05`, or only the seconds if it is below a minute */
function clock(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
