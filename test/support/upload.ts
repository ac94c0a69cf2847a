// Files uploaded over HTTP.
import type { HttpClient } from './http-client.ts';

export interface UploadJson {
  readonly filename: string;
  readonly size: number;
  readonly path: string;
  readonly virtual_path: string;
  readonly artifact_url: string;
  readonly markdown_file?: string;
  readonly markdown_path?: string;
  readonly conversion_error?: string;
  readonly conversion_status?: 'converting' | 'converted' | 'failed';
  readonly extension?: string;
  readonly modified?: number;
}

export interface FileToSend {
  readonly name: string;
  readonly content?: string | Uint8Array;
}

/** Sends one request with these files in the field `files`, in this order. */
export function sendFiles(
  client: HttpClient,
  threadId: string,
  files: readonly FileToSend[],
): Promise<Response> {
  const { body, headers } = multipart(files);
  return client.send('POST', `/api/threads/${threadId}/uploads`, { body, headers });
}

const BOUNDARY = 'a-boundary-of-the-test';

/** Encodes by hand, since `FormData` changes names that must arrive unchanged. */
export function multipart(files: readonly FileToSend[], field = 'files') {
  const parts = files.flatMap(({ name, content = '' }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}
