export const listTexts = {
  more: 'Show more',
  shown: (count: number) => `${count} shown`,
  nothingFound: 'Nothing found',
  otherWords: 'Try other words.',
  cascade: 'Also end the tokens that were minted with it',
  cascadeHint: 'Without this, its bearer tokens and session tokens stay valid until they expire.',
  team: 'Team',
  noTeam: 'No team',
};
