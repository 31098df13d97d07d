// Preload that imitates an installation without a file that the start of Appium does not need.
const Module = require('node:module');

const load = Module._load;
Module._load = function (request, ...rest) {
  if (/[\\/]fastify[\\/]fastify\.js$/.test(request)) throw new Error('fastify is not there');
  return load.call(this, request, ...rest);
};
