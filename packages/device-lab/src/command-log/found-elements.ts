/** The newest elements of a session whose locator is remembered. */
const MOST_ELEMENTS = 500;
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';
const ELEMENT_ID = new RegExp(`"${ELEMENT_KEY}":"([^"\\\\]{1,128})"`, 'g');

/** How the elements of one session were found, so that a command on an element can be shown with its locator. */
export class FoundElements {
  readonly #locators = new Map<string, string>();

  /** @param response the masked response of a command that finds elements, as JSON */
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

  /** @returns the locator, or undefined if the element was found before the server started or too long ago */
  locatorOf(elementId: string): string | undefined {
    return this.#locators.get(elementId);
  }
}
