// The shared parts of the account forms: their frame, the field for a new password, the button, and the
// errors.
import type { ReactNode } from 'react';
import { RequestError } from '../api/service-error.ts';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/logo.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { TextField } from '../ui/text-field.tsx';

interface AuthCardProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-sidebar p-4">
      <div className="w-full max-w-[25rem] py-8">
        <div className="rounded-2xl border border-border bg-surface p-6 shadow-soft sm:p-8">
          <Logo className="size-9" />
          <h1 className="mt-5 text-xl font-semibold tracking-tight">{title}</h1>
          <p className="mt-1.5 text-sm leading-relaxed text-muted-foreground">{lead}</p>
          <div className="mt-6">{children}</div>
        </div>
        {footer !== undefined && <p className="mt-2.5 text-center text-sm text-muted-foreground">{footer}</p>}
      </div>
    </main>
  );
}

const MIN_LENGTH = 8;
const MAX_LENGTH = 1_024;

export function NewPasswordField({ label }: { readonly label: string }) {
  return (
    <TextField
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      minLength={MIN_LENGTH}
      maxLength={MAX_LENGTH}
      required
      hint="At least 8 characters, and not a common password."
    />
  );
}

interface SubmitButtonProps {
  readonly isPending: boolean;
  /** Disables the button for a reason outside the form. */
  readonly isBlocked?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function SubmitButton({ isPending, isBlocked = false, className, children }: SubmitButtonProps) {
  return (
    <Button type="submit" disabled={isPending || isBlocked} className={className}>
      {isPending && <Spinner />}
      {children}
    </Button>
  );
}

const BY_CODE: Readonly<Record<string, string>> = {
  invalid_credentials: 'The e-mail address or password is incorrect.',
  email_already_exists: 'There is already an account with this e-mail address. Sign in instead.',
  registration_disabled: 'Registration is closed. Ask the administrator for an account.',
};

/** Returns a sentence for a person. For a lockout, it contains the remaining time. */
export function authErrorText(error: Error, overrides: Readonly<Record<string, string>> = {}): string {
  if (!(error instanceof RequestError)) return error.message;
  if (error.status === 429) return lockedText(error.retryAfterSeconds);
  return overrides[error.code] ?? BY_CODE[error.code] ?? error.message;
}

export function lockedText(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many failed attempts. Wait a few minutes, then try again.';
  return `Too many failed attempts. Try again in ${durationText(seconds)}.`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} minutes`;
}
