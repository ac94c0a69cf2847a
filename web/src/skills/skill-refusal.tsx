// Why a change of a skill was not made; where a scan objects, administrators may make it anyway.
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { RequestError } from '../api/service-error.ts';
import { refusedSkillSchema } from '../api/skill-shapes.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { FindingList } from './finding-list.tsx';

interface SkillRefusalProps {
  readonly error: Error;
  /** What the button says. */
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
          ? 'The scan found something critical. Go on only when you have looked at it.'
          : error.message}
      </p>
      <FindingList findings={refused.data.detail.findings} />
      {isAdministrator && (
        <div className="flex justify-end">
          <Button look="danger" size="small" disabled={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      )}
    </section>
  );
}
