// All skills: which are on, and the ways to get another one.
import { useQuery } from '@tanstack/react-query';
import { BookOpen, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Skill } from '../api/skill-shapes.ts';
import { AppPage } from '../app-page.tsx';
import { meQuery } from '../auth/session.ts';
import { DropOverlay } from '../files/drop-overlay.tsx';
import { useFileDrop } from '../files/use-file-drop.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { FilterBox } from '../ui/filter-box.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { DeletedSkills } from './deleted-skills.tsx';
import { InstallResult } from './install-result.tsx';
import { NewSkillDialog } from './new-skill-dialog.tsx';
import { useSkills, useSwitchSkill } from './skill-queries.ts';
import { SkillRow } from './skill-row.tsx';
import { useSkillInstall } from './use-skill-install.ts';

export function SkillsPage() {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const skills = useSkills();
  const [isMaking, setMaking] = useState(false);
  const install = useSkillInstall();
  const isDropping = useFileDrop(install.start);
  return (
    <>
      <AppPage
        title="Skills"
        action={
          <div className="flex gap-2">
            <Button look="secondary" size="small" onClick={() => setMaking(true)}>
              <Plus aria-hidden />
              New skill
            </Button>
            <FileButton
              title="Choose a .skill file, or drop it anywhere on this page"
              accept=".skill,.zip"
              label="Package to install"
              onFiles={install.start}
            >
              Install
            </FileButton>
          </div>
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          A skill tells the agent how to do a certain kind of work. The agent reads one when it fits; begin a
          message with <code className="font-mono text-[0.8125rem]">/</code> to choose one yourself.
        </p>
        <InstallResult
          current={install.current}
          mayConfirm={isAdministrator}
          onConfirm={install.confirm}
          onClose={install.forget}
        />
        {skills.error !== null && <Notice tone="danger">{skills.error.message}</Notice>}
        {skills.isPending && <Spinner className="mx-auto my-6" />}
        {skills.data !== undefined && <SkillLists skills={skills.data} />}
        {skills.data !== undefined && <DeletedSkills skills={skills.data} />}
        {isDropping && <DropOverlay>Drop a .skill file to install it</DropOverlay>}
      </AppPage>
      {isMaking && <NewSkillDialog onClose={() => setMaking(false)} />}
    </>
  );
}

function SkillLists({ skills }: { readonly skills: readonly Skill[] }) {
  const [filter, setFilter] = useState('');
  const switching = useSwitchSkill();
  const found = skills.filter((skill) => matches(skill, filter));
  const groups = [
    { title: 'Your skills', list: found.filter(({ category }) => category === 'custom') },
    { title: 'Shipped with the service', list: found.filter(({ category }) => category === 'public') },
  ].filter(({ list }) => list.length > 0);
  return (
    <>
      <FilterBox label="Filter the skills" value={filter} onChange={setFilter} />
      {switching.error !== null && <Notice tone="danger">{switching.error.message}</Notice>}
      {groups.map(({ title, list }) => (
        <section key={title} aria-label={title} className="grid gap-2">
          <h2 className="px-1 text-[0.8125rem] font-medium text-muted-foreground">{title}</h2>
          <ul className="divide-y divide-border overflow-hidden rounded-xl border border-border bg-surface">
            {list.map((skill) => (
              <SkillRow
                key={skill.name}
                skill={skill}
                onSwitch={(isOn) => switching.mutate({ name: skill.name, isOn, scope: 'me' })}
              />
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && (
        <EmptyState icon={BookOpen}>
          {filter === '' ? 'No skills yet.' : `No skill matches “${filter}”.`}
        </EmptyState>
      )}
    </>
  );
}

function matches({ name, display_name, description }: Skill, filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  return [name, display_name, description].some((text) => text.toLowerCase().includes(wanted));
}
