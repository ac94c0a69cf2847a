// Sentences for what can go wrong with a run or its stream.

/** Why there is no answer: nothing to reach, a chat that is not there, or a sentence from the service. */
export type RunProblem =
  | { readonly kind: 'connection' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly text: string };

export function runProblemOf(error: unknown): RunProblem | undefined {
  if (error === undefined || error === null) return undefined;
  const status = statusOf(error);
  // The page is on its way to the sign-in screen.
  if (status === 401) return undefined;
  if (status === 404) return { kind: 'missing' };
  if (isConnectionError(error)) return { kind: 'connection' };
  return { kind: 'failed', text: sentenceOf(error) };
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof TypeError || /fetch|network|connection|reconnect|load failed/i.test(error.message);
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // The SDK puts the whole body of a refusal into its message: `HTTP 409: {"detail": "..."}`.
  const body = /^HTTP \d+: (.*)$/s.exec(text)?.[1];
  if (body === undefined) return text;
  return detailOf(body) ?? 'The service refused this request.';
}

function detailOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('detail' in parsed)) return undefined;
    return typeof parsed.detail === 'string' ? parsed.detail : undefined;
  } catch {
    return undefined;
  }
}
