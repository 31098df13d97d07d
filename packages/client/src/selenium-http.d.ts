/**
 * Declares the types under the full file name, because they are published only for the folder
 * `selenium-webdriver/http`, which ES modules cannot import.
 */
declare module 'selenium-webdriver/http/index.js' {
  export { Executor, HttpClient } from 'selenium-webdriver/http';
}
