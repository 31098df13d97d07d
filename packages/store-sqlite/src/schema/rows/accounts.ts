import type { Role, Status } from '@svc/contract';

export interface AccountRow {
  id: string;
  email: string;
  /** E-mail address in the form that `emailKey` returns, which is used for comparisons. */
  email_key: string;
  name: string;
  role: Role;
  status: Status;
  access_key: string;
  password_hash: string | null;
  temporary_password_until: number | null;
  default_password: number;
  created_at: number;
  last_sign_in_at: number | null;
  sign_in_epoch: number;
  spared_sign_in: string | null;
}

export interface TeamRow {
  id: string;
  name: string;
}

export interface TeamMemberRow {
  team_id: string;
  account_id: string;
}

export interface DirectoryUserRow {
  account_id: string;
  external_id: string | null;
  is_deleted: number;
  is_deactivated: number | null;
}

export interface IdentityRow {
  id: string;
  account_id: string;
  issuer: string;
  subject: string;
  created_at: number;
  last_sign_in_at: number | null;
}

export interface ProviderSignInRow {
  /**
   * Id of a dashboard sign-in. There is no foreign key, because a logout at the OpenID provider must find this row even
   * after the sign-in was deleted.
   */
  sign_in_id: string;
  account_id: string;
  issuer: string;
  subject: string;
  sid: string | null;
  /**
   * Time (ms since 1970) at which a clean-up found that the dashboard sign-in of this row no longer exists, or null
   * before that.
   */
  ended_at: number | null;
}
