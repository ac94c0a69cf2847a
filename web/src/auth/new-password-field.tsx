// The field for a password that is being chosen.
import { TextField } from '../ui/text-field.tsx';

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
