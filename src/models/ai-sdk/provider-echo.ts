// What a provider wants to see again of its own answer (signatures of reasoning and calls), as it is stored.
import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { z } from 'zod';
import type { AiMessage, JsonObject } from '../../messages/message.ts';

const optionsSchema = z.record(z.string(), z.record(z.string(), z.json()));

const echoSchema = z.object({
  /** Blocks of the reasoning in order: so many characters of it, with what belongs to them. */
  reasoning: z.array(z.object({ length: z.int().nonnegative(), options: optionsSchema })).default([]),
  /** By the id of the call. */
  calls: z.record(z.string(), optionsSchema).default({}),
});

export type ProviderEcho = z.output<typeof echoSchema>;

/** Reads what `finish.providerMetadata` held when the message was made; nothing from a message without it. */
export function echoOf(message: AiMessage): ProviderEcho | undefined {
  const stored = message.additional_kwargs.provider_metadata;
  if (stored === undefined) return undefined;
  const parsed = echoSchema.safeParse(stored);
  return parsed.success ? parsed.data : undefined;
}

/** Collects what an answer carries while it streams. */
export interface EchoRecorder {
  reasoningDelta(length: number, metadata: SharedV4ProviderMetadata | undefined): void;
  reasoningEnd(metadata: SharedV4ProviderMetadata | undefined): void;
  call(id: string, metadata: SharedV4ProviderMetadata | undefined): void;
  /** `undefined` when the provider asked for nothing. */
  result(): JsonObject | undefined;
}

export function createEchoRecorder(): EchoRecorder {
  const blocks: { length: number; options: SharedV4ProviderOptions }[] = [];
  const calls: Record<string, SharedV4ProviderOptions> = {};
  let length = 0;
  let options: SharedV4ProviderOptions = {};
  return {
    reasoningDelta: (characters, metadata) => {
      length += characters;
      if (metadata !== undefined) options = { ...options, ...metadata };
    },
    reasoningEnd: (metadata) => {
      const all = metadata === undefined ? options : { ...options, ...metadata };
      if (length > 0 || hasContent(all)) blocks.push({ length, options: all });
      length = 0;
      options = {};
    },
    call: (id, metadata) => {
      if (metadata !== undefined && hasContent(metadata)) calls[id] = metadata;
    },
    result: () => {
      const reasoning = blocks.some((block) => hasContent(block.options)) ? blocks : [];
      if (reasoning.length === 0 && Object.keys(calls).length === 0) return undefined;
      // Through JSON, so that what is kept now is what is read later: no undefined, no dates.
      return JSON.parse(JSON.stringify({ reasoning, calls }));
    },
  };
}

function hasContent(options: SharedV4ProviderOptions): boolean {
  return Object.values(options).some((fields) => Object.keys(fields).length > 0);
}
