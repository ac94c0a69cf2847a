// The address of a file of a thread.

/** `path` begins with `/mnt/user-data/`. */
export function artifactUrl(threadId: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/api/threads/${encodeURIComponent(threadId)}/artifacts${encoded}`;
}

export function downloadUrl(threadId: string, path: string): string {
  return `${artifactUrl(threadId, path)}?download=true`;
}
