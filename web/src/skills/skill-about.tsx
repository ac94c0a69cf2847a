// The purpose of a skill, whether it is enabled, and where it came from.
import type { ReactNode } from 'react';
import type { SkillDetail } from '../api/skill-calls.ts';
import { toolWords } from '../conversation/tool-words.ts';
import { Switch } from '../ui/check-box.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSwitchSkill } from './skill-queries.ts';

interface SkillAboutProps {
  readonly skill: SkillDetail;
  readonly isAdministrator: boolean;
}

export function SkillAbout({ skill, isAdministrator }: SkillAboutProps) {
  const switching = useSwitchSkill();
  const { name, description, enabled, globally_enabled, category, license, provenance } = skill;
  const pending = switching.isPending ? switching.variables : undefined;
  const isOn = pending?.scope === 'me' ? pending.isOn : enabled;
  const isOnForAll = pending?.scope === 'everyone' ? pending.isOn : globally_enabled;
  return (
    <section
      aria-label="About this skill"
      className="grid gap-4 rounded-xl border border-border bg-surface p-4 md:p-5"
    >
      <p className="text-[0.9375rem] leading-relaxed [overflow-wrap:anywhere]">{description}</p>
      {switching.error !== null && <Notice tone="danger">{switching.error.message}</Notice>}
      <div className="grid divide-y divide-border rounded-lg border border-border">
        <SwitchLine
          label="Use this skill"
          note={isOnForAll ? undefined : 'An administrator switched it off for everyone.'}
        >
          <Switch
            label="Use this skill"
            isOn={isOn && isOnForAll}
            disabled={!isOnForAll}
            onChange={(next) => switching.mutate({ name, isOn: next, scope: 'me' })}
          />
        </SwitchLine>
        {isAdministrator && category === 'public' && (
          <SwitchLine label="Offer it to everyone" note="Only administrators see this.">
            <Switch
              label="Offer it to everyone"
              isOn={isOnForAll}
              onChange={(next) => switching.mutate({ name, isOn: next, scope: 'everyone' })}
            />
          </SwitchLine>
        )}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm [overflow-wrap:anywhere] [&_dt]:text-muted-foreground">
        <dt>In a chat</dt>
        <dd>
          <code className="font-mono text-[0.8125rem]">/{name}</code>
        </dd>
        <dt>Tools</dt>
        <dd>{toolsText(skill)}</dd>
        <dt>Source</dt>
        <dd>{category === 'public' ? 'Public' : sourceText(provenance)}</dd>
        {license !== '' && (
          <>
            <dt>License</dt>
            <dd>{license}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

interface SwitchLineProps {
  readonly label: string;
  readonly note: string | undefined;
  readonly children: ReactNode;
}

function SwitchLine({ label, note, children }: SwitchLineProps) {
  return (
    <div className="flex items-center gap-3 py-1 pr-1.5 pl-3.5">
      <div className="min-w-0 flex-1 text-sm">
        <p>{label}</p>
        {note !== undefined && <p className="text-[0.8125rem] text-muted-foreground">{note}</p>}
      </div>
      {children}
    </div>
  );
}

function toolsText({ restricts_tools, allowed_tools }: SkillDetail): string {
  if (!restricts_tools) return 'All tools';
  if (allowed_tools.length === 0) return 'None';
  return `Only these: ${allowed_tools.map(toolWords).join(', ')}`;
}

function sourceText(provenance: SkillDetail['provenance']): string {
  if (provenance === null) return 'Made here';
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(
    new Date(provenance.installed_at),
  );
  return `Installed from ${provenance.file_name} on ${day}`;
}
