// A button that copies a text and confirms it.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly className?: string;
}

const SHOWN_MS = 1_600;

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = () => {
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  const says = { idle: label, copied: 'Copied', failed: 'Copying is blocked here' }[state];
  return (
    <Button
      variant="quiet"
      size="icon-small"
      aria-label={says}
      title={says}
      onClick={copy}
      className={className}
    >
      {state === 'copied' ? <Check className="text-success" /> : <Copy />}
    </Button>
  );
}

function copyText(text: string): Promise<void> {
  // Browsers offer the clipboard only on secure origins. A service on a plain http address has none.
  return navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
}
