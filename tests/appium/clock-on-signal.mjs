// Preloaded into a lab. Its clock starts at TEST_CLOCK (ms since 1970), and each SIGUSR2 moves it one minute ahead.
const { now } = Date;
let ahead = Number(process.env.TEST_CLOCK) - now();

Date.now = () => now() + ahead;
process.on('SIGUSR2', () => {
  ahead += 60_000;
});
