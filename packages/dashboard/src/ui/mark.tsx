/** The product's sign. */
export function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true" className="text-accent">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <g fill="none" stroke="var(--surface)" strokeWidth="2.5">
        <path d="M9 10v5a6 6 0 0 0 6 6h5" />
        <circle cx="9" cy="8" r="2.5" />
        <circle cx="23" cy="21" r="2.5" />
      </g>
    </svg>
  );
}
