// What a provider wants back of its own reply (signatures of reasoning and calls), as it is stored.
import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { z } from 'zod';
import type { AiMessage, JsonObject } from '../../messages/message.ts';

const optionsSchema = z.record(z.string(), z.record(z.string(), z.json()));

const echoSchema = z.object({
  /** Blocks of the reasoning in order: how many characters each has, and what belongs to it. */
  reasoning: z.array(z.object({ length: z.int().nonnegative(), options: optionsSchema })).default([]),
  /** By the id of the call. */
  calls: z.record(z.string(), optionsSchema).default({}),
});

export type ProviderEcho = z.output<typeof echoSchema>;

/** Reads the `finish.providerMetadata` of the message; `undefined` for a message without it. */
export function echoOf(message: AiMessage): ProviderEcho | undefined {
  const stored = message.additional_kwargs.provider_metadata;
  return stored === undefined ? undefined : echoSchema.safeParse(stored).data;
}

export class EchoRecorder {
  readonly #blocks: { readonly length: number; readonly options: SharedV4ProviderOptions }[] = [];
  readonly #calls: Record<string, SharedV4ProviderOptions> = {};
  #length = 0;
  #options: SharedV4ProviderOptions = NO_OPTIONS;

  reasoningDelta(length: number, metadata: SharedV4ProviderMetadata | undefined): void {
    this.#length += length;
    if (metadata !== undefined) this.#options = { ...this.#options, ...metadata };
  }

  reasoningEnd(metadata: SharedV4ProviderMetadata | undefined): void {
    const options = metadata === undefined ? this.#options : { ...this.#options, ...metadata };
    if (this.#length > 0 || hasContent(options)) this.#blocks.push({ length: this.#length, options });
    this.#length = 0;
    this.#options = NO_OPTIONS;
  }

  call(id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata !== undefined && hasContent(metadata)) this.#calls[id] = metadata;
  }

  /** Returns `undefined` when the provider wants nothing back. */
  result(): JsonObject | undefined {
    const reasoning = this.#blocks.some(({ options }) => hasContent(options)) ? this.#blocks : [];
    const calls = this.#calls;
    if (reasoning.length === 0 && Object.keys(calls).length === 0) return undefined;
    // Through JSON, so that the stored value is what is read later: no undefined, no dates.
    return JSON.parse(JSON.stringify({ reasoning, calls }));
  }
}

const NO_OPTIONS: SharedV4ProviderOptions = {};

function hasContent(options: SharedV4ProviderOptions): boolean {
  return Object.values(options).some((fields) => Object.keys(fields).length > 0);
}
