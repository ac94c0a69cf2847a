// The adapter over the provider packages, for providers with their own protocol.
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { createBreath, LONG_CALL_MS } from '../../breath.ts';
import type { AttemptResponse, Send } from '../calls/attempt.ts';
import { type CallDeps, createCallModel, type Prepare } from '../calls/call-model.ts';
import { codeIn } from '../calls/failure-facts.ts';
import { unfinished } from '../calls/finish.ts';
import type { HttpResponse } from '../calls/http-exchange.ts';
import { createHttpPost, fetchPost, type HttpPost } from '../calls/http-post.ts';
import { ProviderFailure } from '../calls/provider-failure.ts';
import { ReadPace } from '../calls/read-pace.ts';
import type { Model, ModelRequest, ToolSpec } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { createPromptConverter } from '../prompt/to-prompt.ts';
import { quirksOf } from '../quirks/quirks.ts';
import { type LoadedProvider, loadProvider, type PackagedProvider } from './language-model.ts';
import { createResponseReader, type ResponseReader } from './response-reader.ts';

/** Loads and sends nothing before the first call. */
export function createAiSdkModel(entry: ProviderOptions<PackagedProvider>, deps: CallDeps = {}): Model {
  return createCallModel(entry, callPreparation(entry, deps), deps);
}

function callPreparation(entry: ProviderOptions<PackagedProvider>, { fetch }: CallDeps): Prepare {
  const { name: modelName, provider, supports_vision: supportsVision } = entry;
  const post = fetch === undefined ? createHttpPost() : fetchPost(fetch);
  const pace = new ReadPace();
  const quirks = quirksOf(provider);
  const converter = createPromptConverter({ provider, supportsVision }, quirks);
  let loading: Promise<LoadedProvider> | undefined;

  const optionsOf = (request: ModelRequest): LanguageModelV4CallOptions => {
    const { effort, fields = {} } = quirks.options({}, { entry, thinking: request.thinking });
    return {
      prompt: [...converter.toPrompt(request)],
      ...(request.tools.length > 0 ? { tools: request.tools.map(toTool) } : {}),
      ...(entry.max_tokens === undefined ? {} : { maxOutputTokens: entry.max_tokens }),
      ...(entry.temperature === undefined ? {} : { temperature: entry.temperature }),
      ...(effort === undefined ? {} : { reasoning: effort }),
      ...(Object.keys(fields).length === 0 ? {} : { providerOptions: { [provider]: fields } }),
    };
  };
  return async (request): Promise<Send> => {
    const breath = createBreath(LONG_CALL_MS);
    const options = optionsOf(request);
    await breath();
    loading ??= loadProvider(entry);
    const loaded = await loading;
    const messages = [...(request.unsent ?? []), ...request.messages];
    return async ({ signal, onConnected }) => {
      const reader = createResponseReader({ modelName, messages, quirks });
      const model = loaded.modelOver(fetchOver({ post, pace, onConnected }));
      try {
        const { stream } = await model.doStream({ ...options, abortSignal: signal });
        return responseIn(stream.getReader(), reader, { modelName, loaded });
      } catch (thrown) {
        throw translated(thrown, loaded);
      }
    };
  };
}

interface PackageFetchParts {
  readonly post: HttpPost;
  readonly pace: ReadPace;
  readonly onConnected: () => void;
}

function fetchOver({ post, pace, onConnected }: PackageFetchParts): typeof globalThis.fetch {
  return async (address, init) => {
    const body = init?.body;
    if (typeof body !== 'string') throw new TypeError('A request to a provider has a text as its body.');
    return responseOf(await post(address, { ...init, body, onConnected }), pace);
  };
}

function responseOf({ bytes, status, statusText, headers }: HttpResponse, pace: ReadPace): Response {
  const head = { status, statusText, headers: headers() };
  if (bytes === undefined) return new Response(null, head);
  const reply = pace.begin(bytes);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = await reply.read();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reply.cancel(reason),
  });
  return new Response(body, head);
}

function responseIn(
  parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  reader: ResponseReader,
  { modelName, loaded }: { readonly modelName: string; readonly loaded: LoadedProvider },
): AttemptResponse {
  return {
    async read() {
      try {
        const { done, value } = await parts.read();
        if (done) throw unfinished(modelName);
        const part = reader(value);
        return part === undefined ? [] : [part];
      } catch (thrown) {
        throw translated(thrown, loaded);
      }
    },
    async readToEnd() {
      while (!(await parts.read()).done);
    },
    cancel: (reason) => void parts.cancel(reason).catch(() => undefined),
  };
}

/** Converts a refusal to the error that all adapters throw; returns anything else as it is. */
function translated(thrown: unknown, { isCallError }: LoadedProvider): unknown {
  if (!isCallError(thrown) || (thrown.statusCode ?? 0) < 400) return thrown;
  return new ProviderFailure(thrown.message, {
    status: thrown.statusCode,
    code: codeIn(thrown.data),
    headers: thrown.responseHeaders ?? {},
    body: thrown.responseBody ?? '',
  });
}

function toTool({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool {
  // Both sides call it JSON Schema; ours is immutable and not typed by keyword.
  const schema = inputSchema as LanguageModelV4FunctionTool['inputSchema'];
  return { type: 'function', name, description, inputSchema: schema };
}
