// How the sign-in to a tool server ended, as the address says when the browser comes back from there.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Anybody can write an address: no words of it are shown. */
const FAILURES = new Map([
  ['denied', 'access was denied there. To try again, sign in and allow it.'],
  ['expired', 'it took too long, or it was begun anew elsewhere. Sign in again.'],
  ['other_issuer', 'the answer came from another server than the one that was asked. Tell an administrator.'],
  ['refused', 'the server refused it. Sign in again, or tell an administrator.'],
  ['unreachable', 'the server could not be reached. Try again later.'],
]);

/** `names` are those of the servers that there are. */
export function SignInResult({ names }: { readonly names: readonly string[] }) {
  const { signed_in: signedIn, sign_in_failed: failed } = useSearch({ strict: false });
  const navigate = useNavigate();
  const forget = (
    <Button
      look="quiet"
      size="icon-small"
      aria-label="Close this message"
      onClick={() => void navigate({ to: '/tool-servers', replace: true })}
    >
      <X />
    </Button>
  );
  if (failed !== undefined)
    return (
      <Notice tone="danger" actions={forget}>
        You are not signed in: {FAILURES.get(failed) ?? 'something went wrong. Sign in again.'}
      </Notice>
    );
  if (signedIn === undefined || !names.includes(signedIn)) return null;
  return (
    <Notice tone="neutral" actions={forget}>
      You are signed in to <strong className="font-semibold text-foreground">{signedIn}</strong>.
    </Notice>
  );
}
