// What a run can use of tool servers.
import type { JsonObject } from '../messages/message.ts';
import type { CallParts } from './connections/connection.ts';
import type { CallResult } from './results/result-parts.ts';

export interface McpTool {
  readonly server: string;
  /** The name that the model sees. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly effect: 'read' | 'idempotent' | 'once';
  readonly approval: 'always' | 'never' | 'once_per_thread';
  /** Rejects with `ServerFailure`, or with what `elicit` throws. */
  call(args: JsonObject, parts: McpCall): Promise<CallResult>;
}

export type McpCall = Pick<CallParts, 'signal' | 'onProgress' | 'elicit'>;

/** A server whose tools are missing, and a sentence that explains why. */
export interface MissingServer {
  readonly server: string;
  readonly reason: string;
}

/** What a server has besides tools, for one user. All methods reject with `ServerFailure`. */
export interface McpMaterial {
  readonly server: string;
  readonly resources: boolean;
  readonly prompts: boolean;
  listResources(signal: AbortSignal): Promise<readonly ResourceNote[]>;
  readResource(uri: string, signal: AbortSignal): Promise<CallResult>;
  listPrompts(signal: AbortSignal): Promise<readonly PromptNote[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<CallResult>;
}

export interface ResourceNote {
  /** An address, or a template of one with its variables in braces. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

interface PromptNote {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export interface McpForRun {
  readonly tools: readonly McpTool[];
  /** One for each server that has resources or prompts. */
  readonly materials: readonly McpMaterial[];
  readonly missing: readonly MissingServer[];
}
