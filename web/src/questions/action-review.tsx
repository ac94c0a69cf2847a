// One tool call for the person to decide on: allow, edit or deny.
import { Check, Pencil, ShieldCheck, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { argumentWords, toolWords } from '../conversation/tool-words.ts';
import type { AskedAction, Decision } from '../conversation/waiting.ts';
import { ArgumentList } from '../tool-cards/argument-list.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { toArguments, toFields } from './argument-fields.ts';
import { FileWriteReview, writingOf } from './file-write-review.tsx';
import { SubmitOrCancel } from './waiting-frame.tsx';

interface ActionReviewProps {
  readonly action: AskedAction;
  readonly decision: Decision | undefined;
  readonly onDecide: (decision: Decision | undefined) => void;
  /** Allows the call, and the tool for the rest of the chat. Undefined when that is not possible. */
  readonly onAlwaysAllow: (() => void) | undefined;
}

type Mode = 'shown' | 'edit' | 'refuse';

export function ActionReview({ action, decision, onDecide, onAlwaysAllow }: ActionReviewProps) {
  const [mode, setMode] = useState<Mode>('shown');
  // When a form closes, the focus returns to the button that opened it.
  const [closed, setClosed] = useState<Mode>();
  const close = () => {
    setClosed(mode);
    setMode('shown');
  };
  const decide = (made: Decision) => {
    close();
    onDecide(made);
  };
  if (mode === 'edit')
    return (
      <ArgumentForm
        args={action.args}
        onCancel={close}
        onAllow={(args) => decide({ type: 'edit', edited_action: { name: action.name, args } })}
      />
    );
  const shown = decision?.type === 'edit' ? decision.edited_action.args : action.args;
  const writing = writingOf({ name: action.name, args: shown });
  return (
    <div className="grid min-w-0 gap-3.5">
      <ArgumentList args={shown} />
      {writing !== undefined && <FileWriteReview {...writing} />}
      {mode === 'refuse' && <RefusalForm onRefuse={decide} onCancel={close} />}
      {mode === 'shown' && decision !== undefined && (
        <Decided decision={decision} onChange={() => onDecide(undefined)} />
      )}
      {mode === 'shown' && decision === undefined && (
        <Choices
          action={action}
          lastMode={closed}
          onAllow={() => decide({ type: 'approve' })}
          onAlwaysAllow={onAlwaysAllow}
          onOpen={setMode}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly action: AskedAction;
  readonly lastMode: Mode | undefined;
  readonly onAllow: () => void;
  readonly onAlwaysAllow: (() => void) | undefined;
  readonly onOpen: (mode: Mode) => void;
}

function Choices({ action, lastMode, onAllow, onAlwaysAllow, onOpen }: ChoicesProps) {
  const { allowed, args, name } = action;
  const canEdit = allowed.includes('edit') && Object.keys(args).length > 0;
  return (
    <div className="flex flex-wrap gap-2">
      {allowed.includes('approve') && (
        <Button size="small" onClick={onAllow} aria-label={`Allow once: ${toolWords(name)}`}>
          <Check aria-hidden />
          Allow once
        </Button>
      )}
      {canEdit && (
        <Button
          variant="secondary"
          size="small"
          autoFocus={lastMode === 'edit'}
          onClick={() => onOpen('edit')}
          aria-label={`Edit: ${toolWords(name)}`}
        >
          <Pencil aria-hidden />
          Edit
        </Button>
      )}
      {allowed.includes('reject') && (
        <Button
          variant="secondary"
          size="small"
          autoFocus={lastMode === 'refuse'}
          onClick={() => onOpen('refuse')}
          aria-label={`Deny: ${toolWords(name)}`}
        >
          <X aria-hidden />
          Deny
        </Button>
      )}
      {allowed.includes('approve') && onAlwaysAllow !== undefined && (
        <Button
          variant="ghost"
          size="small"
          onClick={onAlwaysAllow}
          aria-label={`Always allow in this chat: ${toolWords(name)}`}
        >
          <ShieldCheck aria-hidden />
          Always allow in this chat
        </Button>
      )}
    </div>
  );
}

interface RefusalFormProps {
  readonly onRefuse: (decision: Decision) => void;
  readonly onCancel: () => void;
}

function RefusalForm({ onRefuse, onCancel }: RefusalFormProps) {
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const message = reason.trim();
    onRefuse({ type: 'reject', ...(message === '' ? {} : { message }) });
  };
  return (
    <form onSubmit={submit} aria-label="Deny" className="grid min-w-0 gap-3">
      <TextArea
        label="Reason (optional, shown to the agent)"
        value={reason}
        autoFocus
        onChange={({ target }) => setReason(target.value)}
      />
      <SubmitOrCancel variant="danger" onCancel={onCancel}>
        Deny
      </SubmitOrCancel>
    </form>
  );
}

const DECIDED = { approve: 'Allowed', edit: 'Allowed with changes', reject: 'Denied' } as const;

interface DecidedProps {
  readonly decision: Decision;
  readonly onChange: () => void;
}

function Decided({ decision, onChange }: DecidedProps) {
  const isRefused = decision.type === 'reject';
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <p className="flex min-w-0 items-center gap-1.5 font-medium [overflow-wrap:anywhere]">
        {isRefused ? (
          <X aria-hidden className="size-4 shrink-0 text-danger" />
        ) : (
          <Check aria-hidden className="size-4 shrink-0 text-success" />
        )}
        {DECIDED[decision.type]}
        {isRefused && decision.message !== undefined && `: ${decision.message}`}
      </p>
      <Button variant="quiet" size="small" onClick={onChange}>
        Change decision
      </Button>
    </div>
  );
}

interface ArgumentFormProps {
  readonly args: Readonly<Record<string, unknown>>;
  readonly onAllow: (args: Readonly<Record<string, unknown>>) => void;
  readonly onCancel: () => void;
}

function ArgumentForm({ args, onAllow, onCancel }: ArgumentFormProps) {
  const [fields, setFields] = useState(() => toFields(args));
  const [invalid, setInvalid] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = toArguments(fields);
    if (read.kind === 'arguments') onAllow(read.args);
    else setInvalid(read.field);
  };
  return (
    <form onSubmit={submit} aria-label="Change the arguments" className="grid min-w-0 gap-3.5">
      {fields.map((field) => (
        <TextArea
          key={field.name}
          label={argumentWords(field.name)}
          value={field.text}
          autoFocus={field === fields[0]}
          spellCheck={field.kind === 'words'}
          className="font-mono sm:text-[0.8125rem]"
          error={invalid === field.name ? 'This must be JSON. Check quotes, commas and brackets.' : undefined}
          onChange={({ target }) => {
            setInvalid(undefined);
            setFields(fields.map((it) => (it === field ? { ...it, text: target.value } : it)));
          }}
        />
      ))}
      <SubmitOrCancel onCancel={onCancel}>Allow with changes</SubmitOrCancel>
    </form>
  );
}
