export const searchTexts = {
  title: 'Search the lab',
  label: 'Phone, session, person or page',
  hint: 'Type a name, a UDID, a tag or an e-mail address. The arrow keys move to the results.',
  phones: 'Phones',
  sessions: 'Sessions',
  people: 'People',
  pages: 'Pages',
};
