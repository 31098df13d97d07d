// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
export type Json = any;

export async function bodyOf(answer: Response | Promise<Response>): Promise<Json> {
  return (await answer).json();
}
