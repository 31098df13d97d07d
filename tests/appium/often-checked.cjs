// Loaded into Appium before anything else: Node looks for requests that take too long every 100 ms, not every 30 s.
const http = require('node:http');

const { createServer } = http;
http.createServer = (listener) => createServer({ connectionsCheckingInterval: 100 }, listener);
