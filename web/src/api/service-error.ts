// What the app knows about a refused or failed request.
import * as z from 'zod/mini';

const bodySchema = z.object({
  detail: z.union([
    z.string(),
    z.object({ code: z.string(), message: z.string() }),
    z.array(z.object({ msg: z.string() })),
  ]),
});

interface RequestErrorOptions {
  readonly code?: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly isExplained?: boolean;
  readonly body?: unknown;
}

/**
 * A request that did not succeed. `message` is a sentence for a person. `status` 0 means that there was no
 * response.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  /** True when the sentence comes from the service and not from the status code. */
  readonly isExplained: boolean;
  /** The body of the response, for callers that know its other fields. */
  readonly body: unknown;

  constructor(status: number, message: string, options: RequestErrorOptions = {}) {
    super(message);
    this.isExplained = options.isExplained ?? true;
    this.body = options.body;
    this.status = status;
    this.code = options.code ?? '';
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Returns the error for a request without a response: the service or the network is down. */
export function unreachable(): RequestError {
  return new RequestError(0, 'The service cannot be reached. Check that it is running and try again.', {
    code: 'unreachable',
  });
}

/** Reads the service's error body, whichever of its three shapes it has. Never throws. */
export async function requestErrorOf(response: Response): Promise<RequestError> {
  const retryAfter = Number(response.headers.get('Retry-After'));
  const retryAfterSeconds = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const { message, code, isExplained = true } = readDetail(body, response.status);
  return new RequestError(response.status, message, { code, retryAfterSeconds, isExplained, body });
}

interface Detail {
  readonly message: string;
  readonly code: string;
  readonly isExplained?: boolean;
}

function readDetail(body: unknown, status: number): Detail {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success)
    return { message: `The service responded with status ${status}.`, code: '', isExplained: false };
  const { detail } = parsed.data;
  // Some errors are a bare word such as `email_already_exists`, which is a code and not a sentence.
  if (typeof detail === 'string') return { message: detail, code: /^[a-z_]+$/.test(detail) ? detail : '' };
  if (Array.isArray(detail))
    return { message: detail.map((issue) => issue.msg).join(' '), code: 'validation' };
  return detail;
}
