// How a tool server stands, in a word.
import type { ServerStatus } from '../api/tool-server-shapes.ts';
import { Badge } from '../ui/badge.tsx';

const WORDS = {
  ready: { tone: 'success', word: 'Ready' },
  connecting: { tone: 'neutral', word: 'Connecting…' },
  failing: { tone: 'danger', word: 'Not working' },
  needs_sign_in: { tone: 'warning', word: 'Sign-in needed' },
  disabled: { tone: 'neutral', word: 'Off' },
} as const;

export function ServerStatusBadge({ status }: { readonly status: ServerStatus }) {
  const { tone, word } = WORDS[status];
  return <Badge tone={tone}>{word}</Badge>;
}
