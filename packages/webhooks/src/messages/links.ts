/** What a message says in addition to the payload of its event. */
export interface MessageContext {
  /** Public address of this server, without a slash at its end, or null if it has none. Messages then have no links. */
  readonly publicUrl: string | null;
  /** @returns the e-mail address of the owner of a session, or null if it has none or is unknown */
  sessionOwner(sessionId: string): string | null;
}

/** Link to a page of the dashboard. */
export interface Link {
  readonly label: string;
  readonly url: string;
}

/** A message stays within the limits of the services, so an absurd id gets no link. */
const LONGEST_ID = 300;

/** @returns links to the session and the phone of an event. Ids come from clients and devices, so they are encoded. */
export function linksOf(
  { sessionId, udid }: Readonly<Record<string, unknown>>,
  { publicUrl }: MessageContext,
): readonly Link[] {
  if (publicUrl === null) return [];
  const page = (path: string, name: string, value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= LONGEST_ID
      ? [`${publicUrl}/svc/${path}?${new URLSearchParams({ [name]: value })}`]
      : [];
  return [
    ...page('sessions', 'id', sessionId).map((url) => ({ label: 'Open the session', url })),
    ...page('devices', 'udid', udid).map((url) => ({ label: 'Open the phone', url })),
  ];
}
