// Sends a file and tells how much of it is there: what `fetch` cannot tell.
import { unreachable } from './service-error.ts';
import { csrfHeaders, type ServiceFetchOptions } from './service-fetch.ts';

export interface Upload {
  readonly path: string;
  /** A form says of itself what it is. */
  readonly body: Blob | FormData;
  readonly contentType?: string;
  /** From 0 to 1; 1 when all of it was sent and the answer is awaited. */
  readonly onSent: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Resolves with whatever was answered; throws RequestError when nothing was, and an `AbortError` when it was called off. */
export type ServiceUpload = (upload: Upload) => Promise<Response>;

export function createServiceUpload({ onSignedOut, connection }: ServiceFetchOptions): ServiceUpload {
  return (upload) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', upload.path);
      for (const [name, value] of Object.entries(csrfHeaders())) request.setRequestHeader(name, value);
      if (upload.contentType !== undefined) request.setRequestHeader('Content-Type', upload.contentType);
      request.upload.onprogress = ({ loaded, total }) => upload.onSent(total === 0 ? 1 : loaded / total);
      request.upload.onload = () => upload.onSent(1);
      request.onload = () => {
        connection.report('answered');
        if (request.status === 401) onSignedOut();
        resolve(answerOf(request));
      };
      request.onerror = () => {
        connection.report('failed');
        reject(unreachable());
      };
      const callOff = () => {
        request.abort();
        reject(new DOMException('The upload was called off.', 'AbortError'));
      };
      upload.signal.addEventListener('abort', callOff, { once: true });
      if (upload.signal.aborted) callOff();
      else request.send(upload.body);
    });
}

function answerOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader('Retry-After');
  return new Response(request.responseText, {
    status: request.status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
}
