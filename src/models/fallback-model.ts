// A model with fallbacks that reply in its place while it cannot.
import type { CircuitBreaker, Passage } from './circuit-breaker.ts';
import { type Model, ModelError, type ModelPart, type ModelRequest } from './model.ts';

interface Candidate {
  readonly model: Model;
  readonly breaker: CircuitBreaker;
}

/**
 * Has the name of the first model. When a model fails after its retries and before it produced output, the
 * next one is called, and a `switch` part reports it. Once a piece of the reply was sent, a failure is final.
 * A request that is too long fails immediately, because only a shorter one helps. `others` are tried in their
 * order.
 */
export function createFallbackModel(first: Candidate, others: readonly Candidate[]): Model {
  const candidates = [first, ...others];
  return { info: first.model.info, stream: (request) => responseOf(first, candidates, request) };
}

async function* responseOf(
  first: Candidate,
  candidates: readonly Candidate[],
  request: ModelRequest,
): AsyncGenerator<ModelPart, void, void> {
  let failure: Failure | undefined;
  for (const candidate of candidates) {
    const { model, breaker } = candidate;
    const passage = breaker.enter();
    if (passage === undefined) continue;
    if (candidate !== first) yield switchTo(model, failure ?? leftAlone(first.model));
    const error = yield* asked(model, passage, request);
    if (error === undefined) return;
    failure = { model, error };
  }
  if (failure !== undefined) throw withTried(failure, candidates);
  // When all models rest, the first one is called anyway.
  yield* first.model.stream(request);
}

interface Failure {
  readonly model: Model;
  readonly error: ModelError;
}

/** Returns the failure after which another model may be called; throws any other. */
async function* asked(
  { info, stream }: Model,
  passage: Passage,
  request: ModelRequest,
): AsyncGenerator<ModelPart, ModelError | undefined, void> {
  let hasBegun = false;
  try {
    for await (const part of stream({ ...request, thinking: request.thinking && info.supportsThinking })) {
      if (part.type !== 'retry') {
        hasBegun = true;
        passage.succeeded();
      }
      yield part;
    }
    return undefined;
  } catch (error) {
    if (hasBegun || request.signal.aborted || !isReplaceable(error)) throw error;
    if (error.fault === 'provider') passage.failed();
    return error;
  } finally {
    passage.released();
  }
}

function isReplaceable(error: unknown): error is ModelError {
  return error instanceof ModelError && error.kind !== 'context_overflow';
}

function switchTo({ info }: Model, { model, error }: Failure): ModelPart {
  return { type: 'switch', model: info, failed: model.info.name, kind: error.kind, reason: error.message };
}

function leftAlone(model: Model): Failure {
  const sentence = `The model '${model.info.name}' failed several times in a row and is not asked for a moment.`;
  return { model, error: new ModelError('model_error', sentence) };
}

function withTried({ model, error }: Failure, candidates: readonly Candidate[]): ModelError {
  const others = candidates.map((it) => it.model.info.name).filter((name) => name !== model.info.name);
  const names = others.map((name) => `'${name}'`).join(', ');
  return new ModelError(
    error.kind,
    `${error.message} In its place or before it, ${names} could not answer either.`,
    { cause: error, fault: error.fault },
  );
}
