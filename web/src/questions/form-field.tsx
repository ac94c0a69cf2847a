// One field of a tool server's form, by its kind.
import { useId } from 'react';
import { type AskedField, type Choice, TEXT_TYPES } from '../conversation/asked-form.ts';
import { CheckBox } from '../ui/check-box.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import type { FormValue } from './form-values.ts';

interface FormFieldProps {
  readonly field: AskedField;
  readonly value: FormValue;
  readonly error: string | undefined;
  readonly onChange: (value: FormValue) => void;
}

export function FormField(props: FormFieldProps) {
  return (
    <div data-field={props.field.name} className="min-w-0 [overflow-wrap:anywhere]">
      <Input {...props} />
    </div>
  );
}

function Input({ field, value, error, onChange }: FormFieldProps) {
  const { isRequired } = field;
  const description = isEmpty(value) ? (defaultText(field) ?? field.description) : field.description;
  const shared: SharedProps = {
    label: isRequired || field.kind === 'yes-or-no' ? field.label : `${field.label} (optional)`,
    error,
    'aria-required': isRequired,
    ...(description === undefined ? {} : { hint: description }),
  };
  switch (field.kind) {
    case 'text':
      return <TextInput {...shared} field={field} value={String(value)} onChange={onChange} />;
    case 'number':
      return (
        <TextField
          {...shared}
          value={String(value)}
          // The numeric keypads of phones have no minus.
          inputMode={(field.least ?? -1) >= 0 ? 'decimal' : 'text'}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'yes-or-no':
      return (
        <CheckBox
          label={shared.label}
          hint={description}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case 'choice':
      return (
        <SelectField
          {...shared}
          value={String(value)}
          options={[{ value: '', label: 'Choose…' }, ...field.choices]}
          onChange={onChange}
        />
      );
    case 'several':
      return <Several {...shared} choices={field.choices} value={listIn(value)} onChange={onChange} />;
    default:
      return field satisfies never;
  }
}

function isEmpty(value: FormValue): boolean {
  return value === '' || (typeof value === 'object' && value.length === 0);
}

/** Describes the default of an empty field. Undefined without one. */
function defaultText({ kind, initial }: AskedField): string | undefined {
  return kind === 'yes-or-no' || isEmpty(initial) ? undefined : `If left empty, it is ${initial.toString()}.`;
}

interface SharedProps {
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
  readonly 'aria-required': boolean;
}

type TextKind = Extract<AskedField, { kind: 'text' }>;

interface TextInputProps extends SharedProps {
  readonly field: TextKind;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextInput({ field, onChange, ...shared }: TextInputProps) {
  if (isLong(field)) return <TextArea {...shared} onChange={({ target }) => onChange(target.value)} />;
  const type = field.format === undefined ? 'text' : TEXT_TYPES[field.format];
  return <TextField {...shared} type={type} onChange={({ target }) => onChange(target.value)} />;
}

/** Whether the text may be long and needs a box that grows. */
function isLong({ format, most = 0, initial }: TextKind): boolean {
  return format === undefined && (most > 200 || initial.includes('\n'));
}

function listIn(value: FormValue): readonly string[] {
  return typeof value === 'object' ? value : [];
}

interface SeveralProps extends SharedProps {
  readonly choices: readonly Choice[] | undefined;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

function Several({ choices, value, onChange, ...shared }: SeveralProps) {
  if (choices === undefined) {
    const lines = value.join('\n');
    return (
      <TextArea
        {...shared}
        label={`${shared.label}, one per line`}
        value={lines}
        onChange={({ target }) => onChange(target.value.split('\n'))}
      />
    );
  }
  return <Boxes {...shared} choices={choices} value={value} onChange={onChange} />;
}

function Boxes({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
}: SeveralProps & { readonly choices: readonly Choice[] }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <fieldset
      aria-describedby={note === undefined ? undefined : `${id}-note`}
      className="grid min-w-0 gap-2 pointer-coarse:gap-0"
    >
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      {choices.map((choice) => (
        <CheckBox
          key={choice.value}
          label={choice.label}
          checked={value.includes(choice.value)}
          onChange={({ target }) => {
            const chosen = new Set(value);
            if (target.checked) chosen.add(choice.value);
            else chosen.delete(choice.value);
            onChange(choices.map((it) => it.value).filter((it) => chosen.has(it)));
          }}
        />
      ))}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={`text-[0.8125rem] ${error === undefined ? 'text-muted-foreground' : 'text-danger'}`}
        >
          {note}
        </p>
      )}
    </fieldset>
  );
}
