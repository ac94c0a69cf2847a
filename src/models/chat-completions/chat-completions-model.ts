// The adapter for servers that speak chat completions: OpenAI, DeepSeek, and most others.

import { createBreath, LONG_CALL_MS } from '../../breath.ts';
import { isFields, jsonIn } from '../../json/unknown-json.ts';
import type { Send } from '../calls/attempt.ts';
import type { ByteSource } from '../calls/byte-source.ts';
import { type CallDeps, createCallModel } from '../calls/call-model.ts';
import { codeIn } from '../calls/failure-facts.ts';
import type { HttpResponse } from '../calls/http-exchange.ts';
import { createHttpPost, fetchPost } from '../calls/http-post.ts';
import { ProviderFailure, UnreadableResponse } from '../calls/provider-failure.ts';
import { ReadPace } from '../calls/read-pace.ts';
import type { Model } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { quirksOf } from '../quirks/quirks.ts';
import { ChatResponse } from './chat-response.ts';
import { createRequestEncoder } from './encode-request.ts';
import { type ChatProvider, profileOf } from './provider-profile.ts';
import { textOf } from './wire.ts';

type Entry = ProviderOptions<ChatProvider>;

/** Sends nothing before the first call. */
export function createChatCompletionsModel(entry: Entry, deps: CallDeps = {}): Model {
  const post = deps.fetch === undefined ? createHttpPost() : fetchPost(deps.fetch);
  const profile = profileOf(entry);
  const quirks = quirksOf(entry.provider);
  const encode = createRequestEncoder({ entry, profile, quirks });
  const pace = new ReadPace();
  const address = `${(entry.base_url ?? profile.address).replace(/\/$/, '')}/chat/completions`;
  const headers = headersOf(entry);

  return createCallModel(
    entry,
    async (request): Promise<Send> => {
      const body = await encode(request, createBreath(LONG_CALL_MS));
      const messages = [...(request.unsent ?? []), ...request.messages];
      return async ({ signal, onConnected }) => {
        const response = await post(address, { method: 'POST', headers, body, signal, onConnected });
        const bytes = pace.begin(await accepted(response));
        return new ChatResponse({ modelName: entry.name, profile, quirks, messages, bytes });
      };
    },
    deps,
  );
}

function headersOf({ api_key: key, headers = {} }: Entry): Headers {
  const all = new Headers({ 'content-type': 'application/json', 'user-agent': 'agent-service' });
  if (key !== undefined) all.set('authorization', `Bearer ${key}`);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return all;
}

/** Returns the bytes of a reply. Throws the provider's error when there is none. */
async function accepted({ status, statusText, headers, bytes }: HttpResponse): Promise<ByteSource> {
  if (status >= 200 && status < 300) {
    if (bytes === undefined) throw new UnreadableResponse('The answer has no body.');
    return bytes;
  }
  const body = bytes === undefined ? '' : await beginningOf(bytes);
  const data = jsonIn(body);
  const error = isFields(data) && isFields(data.error) ? data.error : {};
  throw new ProviderFailure(textOf(error.message) ?? statusText, {
    status,
    code: codeIn(data),
    headers: Object.fromEntries(headers()),
    body,
  });
}

/** The most bytes of a refusal that are read; providers explain themselves in fewer. */
const MOST_REFUSAL = 65_536;

async function beginningOf(bytes: ByteSource): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < MOST_REFUSAL) {
    const piece = await bytes.read();
    if (piece === undefined) return Buffer.concat(pieces).toString();
    pieces.push(piece);
    length += piece.length;
  }
  await bytes.cancel(undefined);
  return Buffer.concat(pieces).toString();
}
