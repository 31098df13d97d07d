/** Requests a ticket from the route at `path`, below `/svc/api`. */
export async function ticketOf(url: string, cookie: string, path: string): Promise<string> {
  const answer = await fetch(`${url}/svc/api${path}`, { method: 'POST', headers: { cookie, origin: url } });
  if (answer.status !== 200) throw new Error(`a ticket was refused with ${answer.status}`);
  return ((await answer.json()) as { ticket: string }).ticket;
}
