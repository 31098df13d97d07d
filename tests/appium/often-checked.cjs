// Loaded into Appium before everything else. Makes Node.js look for requests that take too long every 100 ms instead of
// every 30 s.
const http = require('node:http');

const { createServer } = http;
http.createServer = (listener) => createServer({ connectionsCheckingInterval: 100 }, listener);
