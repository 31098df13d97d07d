export const watchTexts = {
  opening: 'Opening the screen',
  unknown: 'This link has ended, or it is not for your account.',
  ended: 'The picture has ended.',
  again: 'Try again',
  signedOut: 'This link is for an account. Sign in, then open the link again.',
  signIn: 'Sign in',
  until: 'You can watch until',
  screen: (phone: string) => `Screen of ${phone}`,
};
