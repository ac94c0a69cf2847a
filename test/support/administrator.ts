// Signs in the administrator that the first start made.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpClient } from './http-client.ts';

interface Started {
  readonly dataHome: string;
  client(): HttpClient;
}

export async function signInAdministrator({ dataHome, client: create }: Started): Promise<HttpClient> {
  const file = await readFile(join(dataHome, 'admin_initial_credentials.txt'), 'utf8');
  const [, email = ''] = /^e-?mail: (\S+)$/im.exec(file) ?? [];
  const [, password = ''] = /^password: (\S+)$/m.exec(file) ?? [];
  const client = create();
  const answer = await client.signIn({ email, password });
  if (answer.status !== 200) throw new Error(`The administrator could not sign in: ${await answer.text()}`);
  return client;
}
