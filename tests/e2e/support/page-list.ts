/** Pages for signed-in users, by address and heading (contract 1). */
export const PAGE_TITLES = {
  devices: 'Phones',
  sessions: 'Sessions',
  apps: 'Apps',
  leases: 'Leases',
  agents: 'Agents',
  profile: 'Profile',
  users: 'Users',
  teams: 'Teams',
  'api-keys': 'API keys',
  workloads: 'CI jobs',
  nodes: 'Nodes',
  audit: 'Audit',
  'command-check': 'Command check',
  settings: 'Settings',
  access: 'Permissions',
  'api-reference': 'API reference',
} as const;
