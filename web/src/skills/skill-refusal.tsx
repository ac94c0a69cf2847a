// Why the service refused a change to a skill. Administrators can override the scan.
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { RequestError } from '../api/service-error.ts';
import { type Finding, refusedSkillSchema } from '../api/skill-calls.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface SkillRefusalProps {
  readonly error: Error;
  /** The label of the confirming button. */
  readonly action: string;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
}

export function SkillRefusal({ error, action, isPending, onConfirm }: SkillRefusalProps) {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const refused = z.safeParse(refusedSkillSchema, error instanceof RequestError ? error.body : undefined);
  if (!refused.success) return <Notice tone="danger">{error.message}</Notice>;
  return (
    <section
      role="alert"
      aria-label="What the scan found"
      className="grid gap-3 rounded-xl border border-danger-border p-3.5"
    >
      <p className="text-sm leading-relaxed">
        {isAdministrator
          ? 'The scan found something critical. Continue only if you have reviewed it.'
          : error.message}
      </p>
      <FindingList findings={refused.data.detail.findings} />
      {isAdministrator && (
        <div className="flex justify-end">
          <Button variant="danger" size="small" disabled={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      )}
    </section>
  );
}

const SEVERITIES = {
  critical: { tone: 'danger', word: 'Critical' },
  warning: { tone: 'warning', word: 'Warning' },
  info: { tone: 'neutral', word: 'Note' },
} as const;

export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul aria-label="Findings" className="grid gap-2.5 text-sm text-foreground">
      {different(findings).map(([key, finding]) => (
        <li key={key} className="grid grid-cols-[4.25rem_minmax(0,1fr)] gap-x-2.5">
          <span className="pt-px">
            <Badge tone={SEVERITIES[finding.severity].tone}>{SEVERITIES[finding.severity].word}</Badge>
          </span>
          <span className="leading-relaxed [overflow-wrap:anywhere]">
            {finding.message}{' '}
            <code className="font-mono text-xs text-muted-foreground">
              {finding.line === null ? finding.file : `${finding.file}:${finding.line}`}
            </code>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Merges findings with the same message about the same line. */
function different(findings: readonly Finding[]): readonly (readonly [string, Finding])[] {
  return [...new Map(findings.map((it) => [`${it.file}:${it.line} ${it.severity} ${it.message}`, it]))];
}
