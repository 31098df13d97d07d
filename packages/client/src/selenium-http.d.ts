/** The types are published for `selenium-webdriver/http`, a folder, which ES modules cannot import. */
declare module 'selenium-webdriver/http/index.js' {
  export { Executor, HttpClient } from 'selenium-webdriver/http';
}
