// The fields that determine when a schedule runs.
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { localMoment, localTimeZone, TIMING_KINDS, type Timing, WEEKDAYS } from './timing.ts';

const LABELS = {
  daily: 'Every day',
  weekdays: 'Monday to Friday',
  weekly: 'Every week',
  monthly: 'Every month',
  once: 'Once',
  cron: 'Advanced (cron)',
} as const;
const DAYS = [
  ...Array.from({ length: 28 }, (_, index) => ({ value: `${index + 1}`, label: `Day ${index + 1}` })),
  { value: 'L', label: 'The last day' },
];

interface TimingFieldsProps {
  readonly timing: Timing;
  readonly timeZone: string;
  readonly onTiming: (timing: Timing) => void;
  readonly onTimeZone: (timeZone: string) => void;
}

export function TimingFields({ timing, timeZone, onTiming, onTimeZone }: TimingFieldsProps) {
  const { kind } = timing;
  const change = (part: Partial<Timing>) => onTiming({ ...timing, ...part });
  return (
    <fieldset className="grid gap-4">
      <legend className="sr-only">When it runs</legend>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Runs"
          value={kind}
          options={TIMING_KINDS.map((value) => ({ value, label: LABELS[value] }))}
          onChange={(next) => change({ kind: next })}
        />
        {kind === 'weekly' && (
          <SelectField
            label="On"
            value={timing.weekday}
            options={WEEKDAYS.map((label, index) => ({ value: `${index}`, label }))}
            onChange={(weekday) => change({ weekday })}
          />
        )}
        {kind === 'monthly' && (
          <SelectField
            label="On"
            value={timing.day}
            options={daysWith(timing.day)}
            onChange={(day) => change({ day })}
          />
        )}
        {kind !== 'once' && kind !== 'cron' && (
          <TextField
            label="At"
            type="time"
            required
            value={timing.time}
            onChange={({ target }) => change({ time: target.value })}
          />
        )}
        {kind === 'once' && (
          <TextField
            label="At"
            type="datetime-local"
            required
            min={localMoment(new Date())}
            value={timing.moment}
            hint={`In your time zone, ${localTimeZone()}.`}
            onChange={({ target }) => change({ moment: target.value })}
          />
        )}
        {kind === 'cron' && (
          <TextField
            label="Cron"
            required
            value={timing.cron}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="off"
            hint="Minute, hour, day, month, weekday."
            onChange={({ target }) => change({ cron: target.value })}
          />
        )}
        {kind !== 'once' && (
          <SelectField
            label="Time zone"
            value={timeZone}
            options={timeZonesWith(timeZone)}
            onChange={onTimeZone}
          />
        )}
      </div>
    </fieldset>
  );
}

/** Returns the usual days, with the day of the schedule added when it is none of them. */
function daysWith(day: string) {
  return DAYS.some(({ value }) => value === day) ? DAYS : [...DAYS, { value: day, label: `Day ${day}` }];
}

function timeZonesWith(timeZone: string) {
  const zones = new Set(['UTC', localTimeZone(), timeZone, ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}
