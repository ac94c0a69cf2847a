// The password once more, before something that a session alone may not do.
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { authErrorText } from './auth-errors.ts';
import { formText } from './form-text.ts';
import { SubmitButton } from './submit-button.tsx';

const WRONG_PASSWORD = { invalid_credentials: 'The password is incorrect.' };

interface ConfirmPasswordProps {
  /** Goes on with what asked for it. */
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}

export function ConfirmPasswordDialog({ onConfirmed, onClose }: ConfirmPasswordProps) {
  const { api } = useServices();
  const confirm = useMutation({
    mutationFn: (password: string) => api.confirmPassword(password),
    onSuccess: onConfirmed,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirm.mutate(formText(new FormData(event.currentTarget), 'current'));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Confirm your password"
      description="For your security, enter your password again."
    >
      <form onSubmit={submit} className="grid gap-4">
        {confirm.error !== null && (
          <Notice tone="danger">{authErrorText(confirm.error, WRONG_PASSWORD)}</Notice>
        )}
        <TextField
          label="Password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton isPending={confirm.isPending}>Continue</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}

/** Whether the password has to be given once more before the request is repeated. */
export function asksForPassword(error: Error | null): boolean {
  return error instanceof RequestError && error.code === 'password_required';
}
