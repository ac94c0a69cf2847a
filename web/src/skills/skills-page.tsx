// The page of skills: the list, and how to add one.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookOpen, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Skill } from '../api/skill-calls.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/check-box.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { DropOverlay, useFileDrop } from '../ui/file-drop.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage, EmptyState } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { FilterBox } from '../ui/text-field.tsx';
import { DeletedSkills } from './deleted-skills.tsx';
import { InstallResult, useSkillInstall } from './install-result.tsx';
import { NewSkillDialog } from './new-skill-dialog.tsx';
import { useSkills, useSwitchSkill } from './skill-queries.ts';

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
            <Button variant="secondary" size="small" onClick={() => setMaking(true)}>
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

interface SkillRowProps {
  readonly skill: Skill;
  readonly onSwitch: (isOn: boolean) => void;
}

function SkillRow({ skill, onSwitch }: SkillRowProps) {
  const { name, display_name, description, enabled, globally_enabled } = skill;
  return (
    <li className="flex items-center gap-2 pr-2 hover:bg-accent/50">
      <Link
        to="/skills/$skillName"
        params={{ skillName: name }}
        className="grid min-w-0 flex-1 gap-0.5 py-3 pl-4 focus-visible:-outline-offset-2"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{display_name}</span>
          {!globally_enabled && <Badge>Off for everyone</Badge>}
        </span>
        <span className="line-clamp-2 text-[0.8125rem] leading-snug text-muted-foreground [overflow-wrap:anywhere]">
          {description}
        </span>
      </Link>
      <Switch
        label={`Use ${display_name}`}
        isOn={enabled && globally_enabled}
        disabled={!globally_enabled}
        onChange={onSwitch}
      />
    </li>
  );
}
