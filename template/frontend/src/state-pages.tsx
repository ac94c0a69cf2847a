// Shown in place of a page that is loading, failed, or does not exist.
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import { RequestError } from './api/client.ts';
import { Button, buttonClass } from './ui/button.tsx';
import { Notice } from './ui/notice.tsx';

export function PendingPage() {
  return <LoaderCircle role="status" aria-label="Loading" className="m-10 animate-spin text-muted-foreground" />;
}

export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const again = (
    <Button look="secondary" size="small" onClick={() => void router.invalidate()}>
      Try again
    </Button>
  );
  return (
    <div className="mx-auto max-w-lg p-6">
      <Notice action={again}>{error instanceof RequestError ? error.message : 'Something went wrong.'}</Notice>
    </div>
  );
}

export function NotFoundPage() {
  return (
    <main className="grid min-h-full place-content-center justify-items-center gap-4">
      <h1 className="text-lg font-semibold">There is no such page</h1>
      <Link to="/" className={buttonClass()}>
        To the notes
      </Link>
    </main>
  );
}
