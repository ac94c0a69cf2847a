// The page of one skill: its instructions, tools, files and history.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { RequestError } from '../api/service-error.ts';
import type { SkillDetail } from '../api/skill-calls.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage, PageSection } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { SkillAbout } from './skill-about.tsx';
import { SkillFiles } from './skill-files.tsx';
import { SkillHistory } from './skill-history.tsx';
import { SkillInstructions } from './skill-instructions.tsx';
import { useDeleteSkill, useSkill } from './skill-queries.ts';
import { FindingList } from './skill-refusal.tsx';

export function SkillPage() {
  const { skillName = '' } = useParams({ strict: false });
  const skill = useSkill(skillName);
  const isMissing = skill.error instanceof RequestError && skill.error.status === 404;
  return (
    <AppPage
      title={skill.data?.display_name ?? (isMissing ? 'Skill not found' : skillName)}
      before={
        <Link
          to="/skills"
          aria-label="All skills"
          title="All skills"
          className="grid size-9 shrink-0 place-items-center rounded-lg text-muted-foreground hover:bg-accent hover:text-foreground pointer-coarse:size-10"
        >
          <ArrowLeft aria-hidden className="size-4" />
        </Link>
      }
    >
      {skill.error !== null && (
        <Notice tone="danger">
          {isMissing ? 'There is no skill with this name. It may have been deleted.' : skill.error.message}
        </Notice>
      )}
      {skill.isPending && <Spinner className="mx-auto my-6" />}
      {skill.data !== undefined && <SkillView key={skillName} skill={skill.data} />}
    </AppPage>
  );
}

function SkillView({ skill }: { readonly skill: SkillDetail }) {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const [isDeleting, setDeleting] = useState(false);
  const { editable, findings } = skill;
  return (
    <>
      <SkillAbout skill={skill} isAdministrator={isAdministrator} />
      {findings.length > 0 && (
        <PageSection title="Findings" lead="What the scan noticed in the files of this skill.">
          <FindingList findings={findings} />
        </PageSection>
      )}
      <SkillInstructions skill={skill} />
      <SkillFiles skill={skill} />
      {editable && <SkillHistory skill={skill} />}
      {editable && (
        <PageSection
          title="Delete skill"
          lead="Deletes the skill with its files. You can restore it on the Skills page."
        >
          <div>
            <Button variant="danger" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          </div>
        </PageSection>
      )}
      {isDeleting && <DeleteSkillDialog skill={skill} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface DeleteSkillDialogProps {
  readonly skill: SkillDetail;
  readonly onClose: () => void;
}

function DeleteSkillDialog({ skill, onClose }: DeleteSkillDialogProps) {
  const remove = useDeleteSkill();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete this skill?"
      description={
        <>
          <span className="font-medium text-foreground">{skill.display_name}</span> is deleted with its files.
          You can restore it on the Skills page.
        </>
      }
      action="Delete"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(skill.name, { onSuccess: () => void navigate({ to: '/skills' }) })}
      onClose={onClose}
    />
  );
}
