/** Texts about SCIM, over which an identity provider deactivates accounts. */
export const scimTexts = {
  title: 'SCIM',
  lead: 'The identity provider of your company can make the accounts of people who leave Inactive. Create an API key for it, and give it this address.',
  address: 'Address of SCIM',
  off: 'SCIM is off, because SVC_PUBLIC_URL is not set or cannot be used.',
  keys: 'Keys of identity providers',
  ends: (name: string) => `${name} ends:`,
  noKeys: 'No key is valid, so no identity provider can make accounts Inactive.',
  usedBy: 'Used by',
  users: { 'api-key': 'Tests, CI or a node', scim: 'An identity provider (SCIM)' },
  makeText:
    'The identity provider creates, deactivates and activates accounts with it. The key works for nothing else, and stops working when your account is Inactive or no longer a Super admin.',
  useText: 'Give both to the identity provider. It sends the token in the header Authorization: Bearer.',
  expiresHint: 'After that, the identity provider can no longer deactivate accounts.',
};
