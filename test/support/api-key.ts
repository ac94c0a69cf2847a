// API keys as programs use them.
import { createHttpClient, type HttpClient, type RequestTarget } from './http-client.ts';
import { jsonOf } from './json-of.ts';

export interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/** Makes a new key of the person, with write access unless the fields say otherwise. */
export async function makeKey(person: HttpClient, fields: Record<string, unknown> = {}): Promise<MadeKey> {
  const answer = await person.post('/api/v1/auth/api-keys', {
    name: 'a program',
    scopes: ['write'],
    ...fields,
  });
  if (answer.status !== 201) throw new Error(`No key was made: ${await answer.text()}`);
  return jsonOf<MadeKey>(answer);
}

export async function revoke(person: HttpClient, { id }: MadeKey): Promise<void> {
  const answer = await person.delete(`/api/v1/auth/api-keys/${id}`);
  if (answer.status !== 204) throw new Error(`The key was not revoked: ${await answer.text()}`);
}

/** Returns a client that authenticates only with the key. */
export function withKey(target: RequestTarget, key: string): HttpClient {
  return createHttpClient(target, { authorization: `Bearer ${key}` });
}
