// Asks the person to fill in a form, and names the tool server that asks.
import { ClipboardPen } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { AskedForm } from '../conversation/asked-form.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { FormField } from './form-field.tsx';
import { initialValues, readForm } from './form-values.ts';
import { WaitingFrame } from './waiting-frame.tsx';

/** The answer to a form as MCP defines it. */
type FormAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

interface FormCardProps {
  readonly form: AskedForm;
  readonly askingTask: string | undefined;
  readonly isSending: boolean;
  readonly onAnswer: (answer: FormAnswer) => void;
}

export function FormCard({ form, askingTask, isSending, onAnswer }: FormCardProps) {
  const { server, message, problem, fields } = form;
  const [values, setValues] = useState(() => initialValues(fields));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const element = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readForm(fields, values);
    if (read.ok) {
      onAnswer({ action: 'accept', content: read.content });
      return;
    }
    setProblems(read.problems);
    const first = fields.find(({ name }) => read.problems.has(name));
    const place = element.current?.querySelector(`[data-field="${CSS.escape(first?.name ?? '')}"]`);
    place?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  };
  return (
    <WaitingFrame
      icon={ClipboardPen}
      label={`Form of the tool server ${server}`}
      title={
        <>
          The tool server <span className="[overflow-wrap:anywhere]">“{server}”</span> asks you
        </>
      }
      askingTask={askingTask}
      isSending={isSending}
    >
      {problem !== undefined && <Notice tone="warning">Your last answer could not be used. {problem}</Notice>}
      <p className="text-[0.8125rem] leading-relaxed text-muted-foreground">
        Your answer goes to this server, which is not part of this service. Do not enter passwords or other
        secrets.
      </p>
      <p className="text-sm leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{message}</p>
      <form ref={element} onSubmit={submit} noValidate autoComplete="off" className="grid min-w-0 gap-4">
        {fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values.get(field.name) ?? field.initial}
            error={problems.get(field.name)}
            onChange={(value) => {
              setValues(new Map(values).set(field.name, value));
              setProblems(new Map([...problems].filter(([name]) => name !== field.name)));
            }}
          />
        ))}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="small">
            Accept
          </Button>
          <Button variant="secondary" size="small" onClick={() => onAnswer({ action: 'decline' })}>
            Decline
          </Button>
          <Button
            variant="ghost"
            size="small"
            title="Closes the form without an answer"
            onClick={() => onAnswer({ action: 'cancel' })}
          >
            Cancel
          </Button>
        </div>
      </form>
    </WaitingFrame>
  );
}
