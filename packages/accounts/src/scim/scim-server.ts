import { type Caller, Refusal } from '@svc/auth-core';
import { emailKey } from '@svc/contract';
import type { DirectoryUser, DirectoryUsers } from './directory-users.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './documents.ts';
import { parseFilter } from './filter.ts';
import { LARGEST_PAGE } from './names.ts';
import { readPatch } from './patch.ts';
import { type Projection, projectionOf } from './projection.ts';
import { listOf, locationOf, type Resource, userResource } from './resources.ts';
import { ScimRefusal } from './scim-refusal.ts';
import { readUser, type UserBody } from './user-body.ts';

/** Query parameters of a request. A parameter that was sent twice is an array, which is refused. */
export type ScimQuery = Readonly<Record<string, unknown>>;

const USUAL_PAGE = 100;

/** SCIM 2.0 for the users of the lab (contract 10.5): reads bodies and parameters, and describes users as resources. */
export class ScimServer {
  readonly #users: DirectoryUsers;
  readonly #base: string;

  /** @param base address of the SCIM server, which begins the location of each resource */
  constructor(users: DirectoryUsers, base: string) {
    this.#users = users;
    this.#base = base;
  }

  config(): Resource {
    return serviceProviderConfig(this.#base);
  }

  /**
   * Returns the resource types or schemas of this server as a list, or only the entry whose id is `id`. Throws
   * `not_found` if no entry has this id.
   */
  document(name: 'ResourceTypes' | 'Schemas', query: ScimQuery, id?: string): Resource {
    // Refuse a filter with 403 (RFC 7644 4). If this server ignored the filter and returned the whole list, a client
    // could take it for the filtered list.
    if (query.filter !== undefined) throw new ScimRefusal(403, undefined, 'This list takes no filter');
    const entries = (name === 'Schemas' ? schemas : resourceTypes)(this.#base);
    if (id === undefined) return listOf(entries, entries.length);
    const found = entries.find((entry) => String(entry.id).toLowerCase() === id.toLowerCase());
    if (found === undefined) throw new Refusal('not_found');
    return found;
  }

  list(caller: Caller, query: ScimQuery): Resource {
    const show = shownBy(query);
    const filter = textIn(query, 'filter');
    const start = Math.max(1, numberIn(query, 'startIndex') ?? 1);
    const count = Math.min(LARGEST_PAGE, Math.max(0, numberIn(query, 'count') ?? USUAL_PAGE));
    const { users, total } =
      filter === undefined
        ? this.#users.page(caller, start - 1, count)
        : pageOf(this.#found(caller, filter), start - 1, count);
    return listOf(
      users.map((user) => show(this.#resource(user))),
      total,
      start,
    );
  }

  read(caller: Caller, id: string, query: ScimQuery): Resource {
    const show = shownBy(query);
    return show(this.#resource(this.#users.read(caller, id)));
  }

  create(
    caller: Caller,
    body: unknown,
    query: ScimQuery,
  ): { readonly user: Resource; readonly location: string } {
    const show = shownBy(query);
    const { userName, externalId, displayName, active } = readUser(body);
    const name = displayName ?? undefined;
    const user = this.#users.create(caller, { email: userName, name, externalId, active });
    return { user: show(this.#resource(user)), location: locationOf(user, this.#base) };
  }

  /** Replaces a user. Attributes that the body leaves out stay unchanged (RFC 7644 3.5.1). */
  replace(caller: Caller, id: string, body: unknown, query: ScimQuery): Resource {
    return this.#change(caller, id, readUser(body), query);
  }

  patch(caller: Caller, id: string, body: unknown, query: ScimQuery): Resource {
    return this.#change(caller, id, readPatch(body), query);
  }

  remove(caller: Caller, id: string): void {
    this.#users.remove(caller, id);
  }

  #change(caller: Caller, id: string, body: UserBody, query: ScimQuery): Resource {
    const show = shownBy(query);
    const { userName, externalId, displayName, active } = body;
    const email = this.#users.emailOf(caller, id);
    if (userName !== undefined && emailKey(userName.trim()) !== emailKey(email)) {
      throw new ScimRefusal(400, 'mutability', 'userName: the e-mail address of an account cannot change');
    }
    const name = displayName === null ? email : displayName;
    return show(this.#resource(this.#users.change(caller, id, { name, externalId, active })));
  }

  #found(caller: Caller, filter: string): DirectoryUser[] {
    const { attribute, value } = parseFilter(filter);
    if (attribute === 'externalId') return this.#users.byExternalId(caller, value);
    const user = this.#users.byEmail(caller, value);
    return user === undefined ? [] : [user];
  }

  #resource(user: DirectoryUser): Resource {
    return userResource(user, this.#base);
  }
}

function pageOf(users: readonly DirectoryUser[], offset: number, limit: number) {
  return { users: users.slice(offset, offset + limit), total: users.length };
}

function shownBy(query: ScimQuery): Projection {
  return projectionOf(textIn(query, 'attributes'), textIn(query, 'excludedAttributes'));
}

/** @returns a query parameter. Letter case of its name does not matter, because some providers write `startindex`. */
function textIn(query: ScimQuery, name: string): string | undefined {
  const values = Object.entries(query).flatMap(([key, value]) =>
    key.toLowerCase() === name.toLowerCase() ? [value] : [],
  );
  const [value] = values;
  if (values.length > 1 || (value !== undefined && typeof value !== 'string'))
    throw new ScimRefusal(400, 'invalidValue', `${name}: was sent twice`);
  return value;
}

function numberIn(query: ScimQuery, name: string): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,9}$/.test(text))
    throw new ScimRefusal(400, 'invalidValue', `${name}: must be a whole number`);
  return Number(text);
}
