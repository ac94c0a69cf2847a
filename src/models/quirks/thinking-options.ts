// How thinking is switched on and off in each provider's requests.
import type { JSONObject } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../../messages/message.ts';
import type { Provider, ProviderOptions } from '../model-options.ts';

/** What a request says about thinking; empty where nothing needs to be sent. */
export interface ThinkingOptions {
  /** An effort that all models of the provider know in some form. */
  readonly effort?: 'none' | 'medium';
  /** Fields of the request's body; for the packages, their options. */
  readonly fields?: JSONObject;
}

export interface Thinking {
  readonly entry: Entry;
  readonly thinking: boolean;
}

type Entry = Pick<ProviderOptions, 'provider' | 'supports_thinking' | 'when_thinking_enabled'>;

/** Adds nothing for a model that does not support thinking, because it may refuse even the fields. */
export function thinkingOptions(options: ThinkingOptions, { entry, thinking }: Thinking): ThinkingOptions {
  if (!entry.supports_thinking) return options;
  return thinking ? switchedOn(entry) : switchedOff(entry);
}

function switchedOn(entry: Entry): ThinkingOptions {
  const wanted = entry.when_thinking_enabled;
  if (wanted !== undefined) return { fields: inTheirWords(entry.provider, wanted) };
  switch (entry.provider) {
    case 'google':
      return { effort: 'medium', fields: { thinkingConfig: { includeThoughts: true } } };
    case 'deepseek':
      return { fields: { thinking: { type: 'enabled' } } };
    case 'openai-compatible':
      // Every such server has its own switch. Without a configured one, the model decides.
      return {};
    default:
      return { effort: 'medium' };
  }
}

function switchedOff(entry: Entry): ThinkingOptions {
  switch (entry.provider) {
    case 'anthropic':
    case 'deepseek':
      return { fields: { thinking: { type: 'disabled' } } };
    case 'openai-compatible':
      return { fields: offSwitchOf(entry.when_thinking_enabled ?? {}) };
    default:
      return { effort: 'none' };
  }
}

/** Returns the opposite of the configured switch, for servers of which nothing else is known. */
function offSwitchOf(options: JsonObject): JSONObject {
  const on = withExtraBody(options);
  const off: JSONObject = {};
  const template = on.chat_template_kwargs;
  if (isJsonObject(template))
    off.chat_template_kwargs = Object.fromEntries(Object.keys(template).map((it) => [it, false]));
  if (typeof on.enable_thinking === 'boolean') off.enable_thinking = false;
  if (isJsonObject(on.thinking)) off.thinking = { type: 'disabled' };
  if (isJsonObject(on.reasoning)) off.reasoning = { enabled: false };
  if (typeof on.reasoning_effort === 'string') off.reasoning_effort = 'minimal';
  return off;
}

function inTheirWords(provider: Provider, options: JsonObject): JSONObject {
  return provider === 'anthropic' || provider === 'google'
    ? camelCased(options)
    : Object.fromEntries(Object.entries(withExtraBody(options)));
}

/** Merges `extra_body`, in which Python clients put further fields of the body, into the fields. */
function withExtraBody(options: JsonObject): JsonObject {
  const { extra_body: extra, ...rest } = options;
  return isJsonObject(extra) ? { ...rest, ...extra } : options;
}

/** Converts snake case, which providers' documents and so people use, to the packages' camel case. */
function camelCased(options: JsonObject): JSONObject {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      isJsonObject(value) ? camelCased(value) : value,
    ]),
  );
}
