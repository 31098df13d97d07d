// biome-ignore lint/suspicious/noExplicitAny: what a server answers is looked at, not trusted
export type Json = any;

export async function bodyOf(answer: Response | Promise<Response>): Promise<Json> {
  return (await answer).json();
}
