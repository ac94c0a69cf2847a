// The mark of the service.

export function Logo({ className }: { readonly className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className={className}>
      <rect width="32" height="32" rx="8" fill="#1f6f64" />
      <path
        d="M9 21.5 16 9l7 12.5"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="22" r="2.1" fill="#fff" />
    </svg>
  );
}
