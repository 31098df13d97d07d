/**
 * All texts of the pages in English. This is a module namespace, so that the build puts each file of texts only into the
 * scripts of the pages that use it. Read a member, as in `texts.devices.title`: taking the namespace itself, as in
 * `const { devices } = texts`, would put all texts into the script.
 */
export * as texts from './en/all.ts';
