import type {
  AccountRow,
  DirectoryUserRow,
  IdentityRow,
  ProviderSignInRow,
  TeamMemberRow,
  TeamRow,
} from './rows/accounts.ts';
import type {
  ApiTokenRow,
  PasskeyRow,
  PasskeyUserRow,
  ResetLinkRow,
  RevokedTokenRow,
  SignInRow,
  SpentRow,
  TrustRuleRow,
} from './rows/credentials.ts';
import type {
  AgentLeaseTimeRow,
  AppRow,
  AttachRow,
  CommandLogChunkRow,
  DeviceSettingRow,
  DriverSessionRow,
  LeaseRow,
  LocatorEtalonRow,
  NodeRow,
  OutOfServiceTableRow,
  PhoneCleaningRow,
  PhoneDayRow,
  PhoneHealthRow,
  PhoneUseRow,
} from './rows/lab.ts';
import type {
  AuditMarkRow,
  AuditTrailRow,
  EventLogRow,
  WebhookDeliveryRow,
  WebhookRow,
} from './rows/trail.ts';

interface SettingRow {
  key: string;
  /** Value of one server setting as JSON. */
  value: string;
}

/**
 * The columns of each table after the newest migration. A test compares them with the database. Times are in ms since
 * 1970. Passwords and tokens are stored only as bcrypt or SHA-256 (hex) hashes, and the secrets of webhooks are
 * encrypted. Access keys are stored in plain text, because an access key alone is not a secret (contract 4).
 */
export interface Tables {
  accounts: AccountRow;
  teams: TeamRow;
  team_members: TeamMemberRow;
  api_tokens: ApiTokenRow;
  sign_ins: SignInRow;
  trust_rules: TrustRuleRow;
  reset_links: ResetLinkRow;
  passkeys: PasskeyRow;
  passkey_users: PasskeyUserRow;
  audit: AuditTrailRow;
  audit_marks: AuditMarkRow;
  spent: SpentRow;
  revoked_tokens: RevokedTokenRow;
  settings: SettingRow;
  driver_sessions: DriverSessionRow;
  command_log: CommandLogChunkRow;
  DeviceSetting: DeviceSettingRow;
  LocatorEtalon: LocatorEtalonRow;
  leases: LeaseRow;
  agent_lease_times: AgentLeaseTimeRow;
  out_of_service: OutOfServiceTableRow;
  phone_cleaning: PhoneCleaningRow;
  phone_health: PhoneHealthRow;
  phone_days: PhoneDayRow;
  apps: AppRow;
  event_log: EventLogRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  nodes: NodeRow;
  directory_users: DirectoryUserRow;
  identities: IdentityRow;
  unconfirmed_emails: { account_id: string };
  provider_sign_ins: ProviderSignInRow;
  phone_use: PhoneUseRow;
  attach_addresses: AttachRow;
}
