/** Maximum number of elements per session whose locators are remembered. The oldest are forgotten. */
const MOST_ELEMENTS = 500;
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';
const ELEMENT_ID = new RegExp(`"${ELEMENT_KEY}":"([^"\\\\]{1,128})"`, 'g');

/**
 * Remembers with which locator each element of one session was found, so that a command on an element can be shown with
 * the locator.
 */
export class FoundElements {
  readonly #locators = new Map<string, string>();

  /**
   * Remembers the locator for all elements in a response.
   * @param response the masked response of a command that finds elements, as JSON text
   */
  add(locator: string, response: string): void {
    const ids = [...response.matchAll(ELEMENT_ID)].map(([, id]) => id as string);
    for (const [index, id] of ids.slice(0, MOST_ELEMENTS).entries()) {
      this.#locators.delete(id);
      this.#locators.set(id, ids.length > 1 ? `${locator} [${index + 1}]` : locator);
    }
    for (const oldest of this.#locators.keys()) {
      if (this.#locators.size <= MOST_ELEMENTS) break;
      this.#locators.delete(oldest);
    }
  }

  /**
   * @returns the locator of an element, or undefined if the element was found before the server started, or if too many
   * other elements were found since
   */
  locatorOf(elementId: string): string | undefined {
    return this.#locators.get(elementId);
  }
}
