// What is known of a failed call, whatever a package, the provider or the network threw.
import { ProviderFailure, UnreadableResponse } from './provider-failure.ts';

export interface FailureFacts {
  readonly status: number | undefined;
  /** The provider's own code (`context_length_exceeded`), or the network's (`ECONNREFUSED`). */
  readonly code: string | undefined;
  /** All text about it, for matching and never for showing. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Who reported it: a response of the provider, the network below it, or a stream that cannot be read. */
  readonly source: 'provider' | 'network' | 'protocol' | 'unknown';
}

/** Error names of the packages. */
const PROTOCOL_ERRORS =
  /^AI_(?:InvalidResponseData|JSONParse|TypeValidation|EmptyResponseBody|NoContentGenerated)Error$/;

const NETWORK_CODE = /^(?:E[A-Z]{3,}|EAI_[A-Z]+|UND_ERR_[A-Z_]+|ERR_(?:TLS|SSL)_[A-Z_]+|UNABLE_TO_[A-Z_]+)$/;

function isNetworkCode(code: string): boolean {
  return NETWORK_CODE.test(code) || (code.includes('CERT') && /^[A-Z_]+$/.test(code));
}

export function factsOf(error: unknown): FailureFacts {
  const chain = causesOf(error);
  const text = chain.map((it) => textOf(it)).join('\n');
  const failure = chain.find((it) => it instanceof ProviderFailure);
  if (failure !== undefined) {
    const { status = statusOfType(failure), code, headers } = failure;
    return { status, code, text, headers, source: 'provider' };
  }
  const nowhere = { code: undefined, text, headers: {} };
  const network = chain
    .map((it) => fieldOf(it, 'code'))
    .find((code) => code !== undefined && isNetworkCode(code));
  if (network !== undefined || isBrokenBody(chain)) {
    return { ...nowhere, status: undefined, code: network, source: 'network' };
  }
  if (chain.some(isUnreadable)) return { ...nowhere, status: undefined, source: 'protocol' };
  // An error event in the stream of a package: an object with a message, and perhaps a status or a code.
  const [first] = chain;
  const status = numberIn(first, 'statusCode') ?? numberIn(first, 'code') ?? statusOfType(first);
  const isEvent =
    fieldOf(first, 'message') !== undefined && !(first instanceof Error && status === undefined);
  return { ...nowhere, status, code: codeIn(first), source: isEvent ? 'provider' : 'unknown' };
}

function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; ) {
    chain.push(next);
    next = typeof next === 'object' && 'cause' in next ? next.cause : undefined;
  }
  return chain;
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableResponse || PROTOCOL_ERRORS.test(fieldOf(error, 'name') ?? '');
}

// What fetch throws when the connection ends in the middle of a body.
function isBrokenBody(chain: readonly unknown[]): boolean {
  return chain.some((it) => it instanceof TypeError && /^(?:terminated|fetch failed)$/.test(it.message));
}

const TYPE_STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  bad_request: 400,
  context_length_exceeded: 400,
  content_filter: 400,
  content_policy_violation: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  overloaded_error: 529,
};

function statusOfType(error: unknown): number | undefined {
  return TYPE_STATUS[fieldOf(error, 'code') ?? ''] ?? TYPE_STATUS[fieldOf(error, 'type') ?? ''];
}

/** Returns the provider's code in the body of a refusal, or in an error event. */
export function codeIn(value: unknown): string | undefined {
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : value;
  return fieldOf(error, 'code') ?? fieldOf(error, 'type');
}

/** Returns the status that an error event names, as a number or by its type. */
export function statusIn(error: unknown): number | undefined {
  return numberIn(error, 'code') ?? statusOfType(error);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const said = [fieldOf(value, 'message'), fieldOf(value, 'code'), fieldOf(value, 'type')];
  if (value instanceof ProviderFailure) said.push(value.body.slice(0, 4_000));
  return said.filter((part) => part !== undefined).join(' ');
}

function fieldOf(value: unknown, name: string): string | undefined {
  const field = read(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

function numberIn(value: unknown, name: string): number | undefined {
  const field = Number(read(value, name) ?? Number.NaN);
  return field >= 400 && field < 600 ? field : undefined;
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
