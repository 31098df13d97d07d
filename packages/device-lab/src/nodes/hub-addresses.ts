/** Addresses of this hub as its nodes reach it, by the name of the node. */
export class HubAddresses {
  readonly #byNode = new Map<string, string>();

  /** @param url null if the node did not report it */
  set(node: string, url: string | null): void {
    if (url === null) this.#byNode.delete(node);
    else this.#byNode.set(node, url);
  }

  /** @returns null if the node has not reported it since this server started */
  of(node: string): string | null {
    return this.#byNode.get(node) ?? null;
  }
}
