// Runs the cases of one client and tells the parent what came of each.
import { setTimeout as pause } from 'node:timers/promises';

const CASE_MS = 20_000;
const [name] = process.argv.slice(2);
const server = { apiUrl: process.env.API_URL, apiKey: process.env.API_KEY };

const { clients } = await import(new URL(`${name}/cases.mjs`, import.meta.url));
for (const { client, version, cases } of await clients(server)) {
  for (const [title, run] of Object.entries(cases)) {
    const seen = await outcomeOf(run);
    process.send({ client, version, case: title, ...seen });
  }
}
process.exit(0);

async function outcomeOf(run) {
  const leave = new AbortController();
  const late = pause(CASE_MS, undefined, { signal: leave.signal }).then(() => {
    throw new Error(`did not end within ${CASE_MS} ms`);
  });
  try {
    const detail = await Promise.race([run(), late]);
    return { result: 'ok', detail: String(detail ?? '') };
  } catch (error) {
    if (process.env.DEBUG) console.error(error);
    return {
      result: 'failed',
      detail: String(error?.message ?? error)
        .slice(0, 300)
        .replaceAll('\n', ' '),
    };
  } finally {
    leave.abort();
    late.catch(() => {});
  }
}
