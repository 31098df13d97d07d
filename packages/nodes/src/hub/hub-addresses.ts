/** Addresses at which the nodes reach this hub, by the name of the node. Each node may use a different address. */
export class HubAddresses {
  readonly #byNode = new Map<string, string>();

  /**
   * Stores the address that a node reported.
   * @param url null if the node reported none, which removes its earlier address
   */
  set(node: string, url: string | null): void {
    if (url === null) this.#byNode.delete(node);
    else this.#byNode.set(node, url);
  }

  /**
   * @returns the address at which a node reaches this hub, or null if the node has not reported one since this server
   * started
   */
  of(node: string): string | null {
    return this.#byNode.get(node) ?? null;
  }
}
