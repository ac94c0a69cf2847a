// Converts a failed call to a `ModelError`: its kind, a sentence for a person, and whether to retry.
import { ModelError, type ModelErrorKind } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { retryAfterMs } from './backoff.ts';
import type { CallPhase } from './call-clock.ts';
import { type FailureFacts, factsOf } from './failure-facts.ts';

export interface Failure {
  readonly error: ModelError;
  /** `undefined` when the same request would fail again. */
  readonly retry: { readonly afterMs: number | undefined } | undefined;
}

interface FailureContext {
  readonly entry: ProviderOptions;
  readonly now: () => number;
  readonly began: boolean;
}

interface Verdict {
  readonly kind: ModelErrorKind;
  readonly sentence: string;
  readonly again?: boolean;
  /** Absent: the provider's fault. */
  readonly fault?: 'request';
}

const OVERFLOW =
  /context[_ -]?length|context[_ -]?window|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|token count.{0,40}exceeds|reduce the length|exceeds? the (?:maximum|limit|max).{0,40}tokens|request_too_large/i;

const NO_QUOTA = /insufficient_quota|exceeded your current quota|billing|credit balance|out of credits/i;

const BAD_KEY = /API_KEY_INVALID|invalid_api_key|api key not valid|incorrect api key/i;

const CERTIFICATE = /CERT|ERR_TLS|ERR_SSL|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

/** Keeps keys, headers, addresses and bodies out of the message. The cause is a short scrubbed summary. */
export function explainFailure(thrown: unknown, context: FailureContext): Failure {
  if (thrown instanceof ModelError) return { error: thrown, retry: undefined };
  const facts = factsOf(thrown);
  const verdict = brokenOff(verdictOn(facts, context.entry), context);
  const cause = { status: facts.status, code: facts.code, summary: scrubbed(facts.text, context.entry) };
  return {
    error: new ModelError(verdict.kind, verdict.sentence, { cause, fault: verdict.fault }),
    retry: verdict.again ? { afterMs: retryAfterMs(facts.headers, context.now) } : undefined,
  };
}

export function timedOut(phase: CallPhase, { name, timeouts }: ProviderOptions): ModelError {
  const seconds = `${timeouts[phase]} ${timeouts[phase] === 1 ? 'second' : 'seconds'}`;
  const sentences: Readonly<Record<CallPhase, string>> = {
    connect: `The provider of model '${name}' took no connection within ${seconds}. Try again in a moment, or check its address.`,
    first_token: `The model '${name}' did not begin its answer within ${seconds}. Try again, or choose another model.`,
    silence: `The model '${name}' fell silent for ${seconds} in the middle of its answer. Try again.`,
  };
  return new ModelError('timeout', sentences[phase]);
}

// After output has arrived, a failure worth retrying is a broken reply. The loop decides about the retry.
function brokenOff(verdict: Verdict, { began, entry }: FailureContext): Verdict {
  if (!began || verdict.again !== true) return verdict;
  const sentence = `The reply of model '${entry.name}' was cut off before it was complete. Try again.`;
  return { kind: 'broken_stream', sentence };
}

function verdictOn(facts: FailureFacts, entry: ProviderOptions): Verdict {
  if (facts.source === 'network') return networkVerdict(facts, entry);
  if (facts.source === 'protocol') {
    const sentence = `The provider of model '${entry.name}' sent an invalid response. Try again.`;
    return { kind: 'broken_stream', sentence };
  }
  if (facts.source === 'unknown') {
    const sentence = `The call of model '${entry.name}' failed unexpectedly. The administrator can find the reason in the log.`;
    // Neither a response nor the network reported it, so the request could not be made.
    return { kind: 'model_error', sentence, fault: 'request' };
  }
  const isOverload = facts.status === 429 || (facts.status ?? 0) >= 500;
  if (OVERFLOW.test(facts.text) && !isOverload) return overflow(entry);
  return statusVerdict(facts, entry);
}

function overflow({ name }: ProviderOptions): Verdict {
  const sentence = `The conversation is longer than model '${name}' can read. Start a new thread, or choose a model with a larger context.`;
  return { kind: 'context_overflow', sentence, fault: 'request' };
}

/** Corrects a 400, with which some providers report problems of the service's own key and account. */
function statusOf({ status, text }: FailureFacts): number | undefined {
  if (status !== 400) return status;
  if (BAD_KEY.test(text)) return 401;
  return NO_QUOTA.test(text) ? 402 : 400;
}

function statusVerdict(facts: FailureFacts, entry: ProviderOptions): Verdict {
  const { name } = entry;
  const status = statusOf(facts);
  switch (status) {
    case 401:
    case 402:
    case 403:
    case 404:
      return refused(REFUSALS[status](name));
    case 413:
      return overflow(entry);
    case 429:
      return limited(name, NO_QUOTA.test(facts.text));
    case 408:
    case 409:
    case 425:
      return {
        kind: 'model_error',
        sentence: `The provider of model '${name}' was busy. Try again in a moment.`,
        again: true,
      };
    default:
      return otherStatus(status, name);
  }
}

const REFUSALS = {
  401: (name: string) =>
    `The model's provider refused the API key of model '${name}'. Ask the administrator to check it.`,
  402: (name: string) =>
    `The account at the provider of model '${name}' has no credit left. Ask the administrator to top it up.`,
  403: (name: string) =>
    `The provider does not allow model '${name}' with this API key. Ask the administrator to check its rights.`,
  404: (name: string) =>
    `The provider does not know the model behind '${name}'. Ask the administrator to check its name and address.`,
};

function refused(sentence: string): Verdict {
  return { kind: 'model_error', sentence };
}

function limited(name: string, noQuota: boolean): Verdict {
  const sentence = noQuota
    ? `The account at the provider of model '${name}' has used up its quota. Ask the administrator.`
    : `The provider of model '${name}' is receiving too many requests. Try again in a minute.`;
  return { kind: 'rate_limited', sentence, again: !noQuota };
}

function otherStatus(status: number | undefined, name: string): Verdict {
  if (status === undefined || status >= 500) {
    const number = status === undefined ? '' : ` (${status})`;
    const sentence = `The provider of model '${name}' is failing${number}. Try again in a few minutes.`;
    return { kind: 'model_error', sentence, again: true };
  }
  const sentence = `The provider of model '${name}' did not accept the request (${status}). If this continues, the administrator can find the reason in the log.`;
  return { kind: 'model_error', sentence, fault: 'request' };
}

function networkVerdict({ code = '' }: FailureFacts, { name }: ProviderOptions): Verdict {
  if (CERTIFICATE.test(code)) {
    return refused(
      `The provider of model '${name}' presents a certificate that is not trusted. Ask the administrator to check its address.`,
    );
  }
  if (code === 'EREDIRECT') {
    return refused(
      `The address of model '${name}' sends requests on to another one. Ask the administrator to check base_url.`,
    );
  }
  const sentences: Readonly<Record<string, string>> = {
    ENOTFOUND: `The address of model '${name}' cannot be found. Check the network, or ask the administrator to check base_url.`,
    EAI_AGAIN: `The address of model '${name}' cannot be resolved right now. Check the network connection.`,
    ECONNREFUSED: `Nothing answers at the address of model '${name}'. Ask the administrator whether it is running.`,
  };
  const sentence =
    sentences[code] ?? `The connection to the provider of model '${name}' broke. Try again in a moment.`;
  return { kind: 'model_error', sentence, again: true };
}

const LIMIT = 300;

const SECRETS: readonly RegExp[] = [
  /\bbearer\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|key|api[-_]?key)[-_=:]\s*["']?[A-Za-z0-9_*.-]{4,}/gi,
  /\bAIza[A-Za-z0-9_-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\S*/g,
  /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/\S+/gi,
];

/** Returns at most 300 characters. The entry's key and headers, texts like keys and addresses are masked. */
function scrubbed(text: string, entry: Pick<ProviderOptions, 'api_key' | 'headers'>): string {
  const own = [entry.api_key ?? '', ...Object.values(entry.headers ?? {})].filter(
    (secret) => secret.length >= 4,
  );
  const withoutOwn = own.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  const clean = SECRETS.reduce((rest, pattern) => rest.replace(pattern, '***'), withoutOwn);
  return clean.replace(/\s+/g, ' ').slice(0, LIMIT);
}
