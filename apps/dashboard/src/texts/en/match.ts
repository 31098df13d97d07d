export const matchTexts = {
  title: 'Which phone would I get?',
  lead: 'Paste the capabilities of a test as JSON to see which phones fit, in the order in which they would be taken, and why the others do not fit. Nothing is reserved.',
  capabilities: 'Capabilities (JSON)',
  hint: 'A flat object, or the W3C form with alwaysMatch and firstMatch. Access keys and tokens in it are removed before it is sent.',
  submit: 'Find phones',
  notJson: 'This is not a JSON object.',
  fits: 'Phones that fit',
  others: 'Other phones',
  phone: 'Phone',
  status: 'Status',
  why: 'Why it does not fit',
  mismatch: (capability: string, wanted: string, has: string | null) =>
    has === null
      ? `${capability}: ${wanted} is required, not known of this phone`
      : `${capability}: ${wanted} is required, the phone has ${has}`,
  noneFits: { title: 'No phone fits', text: 'The table below says why.' },
};
