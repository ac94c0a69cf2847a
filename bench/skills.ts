// The cost that enabled skills add to a turn: `node bench/skills.ts [skills] [pairs]`. Two people of one service take turns, one of
// whom has so many skills.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from '../test/support/model-server/answer.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { prose } from './prose.ts';
import { signUp, startService } from './service.ts';

const DESCRIPTION_CHARACTERS = 300;
const WARM_UP = 20;

const [skills = '50', pairs = '201'] = process.argv.slice(2);
const model = await startModelServer();
model.onRequest(() => answer.text('done'));
const service = await startService(Number(new URL(model.url).port));

try {
  const people = {
    without: await person('without@example.com', 0),
    with: await person('with@example.com', Number(skills)),
  };
  for (let n = 0; n < WARM_UP; n++) {
    await turn(people.without);
    await turn(people.with);
  }
  const differences: number[] = [];
  const times: number[] = [];
  let bytes = 0;
  for (let pair = 0; pair < Number(pairs); pair++) {
    const isFirst = pair % 2 === 0;
    const first = await turn(isFirst ? people.without : people.with);
    const second = await turn(isFirst ? people.with : people.without);
    const [plain, skilled] = isFirst ? [first, second] : [second, first];
    times.push(plain.milliseconds);
    differences.push(skilled.milliseconds - plain.milliseconds);
    bytes = skilled.systemBytes - plain.systemBytes;
  }
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(differences, part).toFixed(2));
  process.stdout.write(
    `A turn without skills takes ${quantile(times, 0.5).toFixed(2)} ms (median of ${pairs}). ` +
      `${skills} skills add ${middle} ms to it (quartiles ${low} and ${high}), and ${bytes} bytes to its prompt.\n`,
  );
} finally {
  await service.end();
  await model.close();
}

/** The users, as headers of their requests. */
type Person = Readonly<Record<string, string>>;

/** An account with a number of skills of its own, and none of those that come with the service. */
async function person(email: string, count: number): Promise<Person> {
  const { userId, headers } = await signUp(service.port, email);
  const shipped = await sent<{ skills: readonly { name: string }[] }>('GET /api/skills', headers);
  for (const { name } of shipped.skills) await sent(`POST /api/skills/${name}/disable`, headers);
  for (let n = 0; n < count; n++) {
    const name = `skill-for-task-number-${n}`;
    const folder = join(service.dataHome, 'users', userId, 'skills', 'custom', name);
    mkdirSync(folder, { recursive: true });
    const description = prose(n, DESCRIPTION_CHARACTERS).replace(/[^a-z ]/gi, '');
    const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n${prose(n, 4_000)}\n`;
    writeFileSync(join(folder, 'SKILL.md'), text);
  }
  return headers;
}

/** One run on a new thread: its time, and the bytes of its system prompt. */
async function turn(person: Person): Promise<{ milliseconds: number; systemBytes: number }> {
  const { thread_id } = await sent<{ thread_id: string }>('POST /api/graph/threads', person, {});
  const began = performance.now();
  await sent(`POST /api/graph/threads/${thread_id}/runs/wait`, person, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: 'hello' }] },
  });
  const milliseconds = performance.now() - began;
  const messages = model.requests.at(-1)?.body.messages;
  const [system] = Array.isArray(messages) ? messages : [];
  return { milliseconds, systemBytes: Buffer.byteLength(String(system?.content)) };
}

async function sent<Body>(request: string, headers: Person, body?: object): Promise<Body> {
  const [method = '', path = ''] = request.split(' ');
  const answered = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  if (!answered.ok) throw new Error(`${request}: ${answered.status} ${text}`);
  return JSON.parse(text);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}
