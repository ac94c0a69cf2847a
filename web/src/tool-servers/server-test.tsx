// The test of a tool server: its duration so far, and the result.
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ServerTest } from '../api/tool-server-shapes.ts';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';

interface ServerTestProps {
  readonly name: string;
  readonly test: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly data: ServerTest | undefined;
  };
}

export function ServerTestView({ name, test }: ServerTestProps) {
  if (test.isPending) return <Running name={name} />;
  if (test.error !== null) return <Notice tone="danger">{test.error.message}</Notice>;
  if (test.data === undefined) return null;
  const { success, message, latency_ms, tools } = test.data;
  if (!success) return <Notice tone="danger">{message}</Notice>;
  return (
    <p
      role="status"
      className="flex items-center gap-2.5 rounded-xl border border-border bg-success-soft px-3.5 py-2.5 text-sm text-success"
    >
      <CircleCheck aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1">
        {name} works and has {tools.length === 1 ? '1 tool' : `${tools.length} tools`}.
      </span>
      <span className="shrink-0 tabular-nums">{durationText(latency_ms)}</span>
    </p>
  );
}

const SECOND = 1_000;

function Running({ name }: { readonly name: string }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((it) => it + 1), SECOND);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="flex items-center gap-2.5 rounded-xl border border-border px-3.5 py-2.5 text-sm">
      <Spinner className="text-primary" />
      <p role="status" className="min-w-0 flex-1">
        Testing {name}: starting it and listing its tools…
      </p>
      <span aria-hidden className="text-muted-foreground tabular-nums">
        {seconds} s
      </span>
    </div>
  );
}

function durationText(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`;
}
