export const listTexts = {
  more: 'Show more',
  shown: (count: number) => `${count} shown`,
  nothingFound: 'Nothing found',
  otherWords: 'Try other words.',
};
