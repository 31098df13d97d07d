/** Singular and plural of what a list contains. */
const NOUNS = {
  phones: ['phone', 'phones'],
  sessions: ['session', 'sessions'],
  endedSessions: ['ended session', 'ended sessions'],
  users: ['user', 'users'],
  members: ['member', 'members'],
  keys: ['key or token', 'keys and tokens'],
  rows: ['row', 'rows'],
} as const;

export type Noun = keyof typeof NOUNS;

const NUMBER = new Intl.NumberFormat('en');

export const listTexts = {
  more: 'Show more',
  /** `300 sessions`; `12 of 300 sessions` with a filter; `The first 100 sessions` if there are more to load. */
  count: (shown: number, loaded: number, isAll: boolean, noun: Noun) => {
    const [one, many] = NOUNS[noun];
    if (isAll && shown === loaded) return `${NUMBER.format(loaded)} ${loaded === 1 ? one : many}`;
    const all = `${isAll ? '' : 'first '}${NUMBER.format(loaded)} ${many}`;
    return shown === loaded ? `The ${all}` : `${NUMBER.format(shown)} of ${isAll ? '' : 'the '}${all}`;
  },
  nothingFound: 'Nothing found',
  otherWords: 'Try other words.',
  cascade: 'Also end the tokens that were minted with it',
  cascadeHint: 'Without this, its bearer tokens and session tokens stay valid until they expire.',
  team: 'Team',
  noTeam: 'No team',
};
