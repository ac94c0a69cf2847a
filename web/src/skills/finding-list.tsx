// What the scan of a skill noticed.
import type { Finding } from '../api/skill-shapes.ts';
import { Badge } from '../ui/badge.tsx';

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

/** Those that say the same of the same line are one. */
function different(findings: readonly Finding[]): readonly (readonly [string, Finding])[] {
  return [...new Map(findings.map((it) => [`${it.file}:${it.line} ${it.severity} ${it.message}`, it]))];
}
